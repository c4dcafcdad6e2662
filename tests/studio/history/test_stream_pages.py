"""The pages of the stream, of the past and of an item's history, over HTTP."""

from __future__ import annotations

import html
import json
import re
from collections.abc import Iterator
from typing import Any
from urllib.parse import quote

import httpx2
import pytest

from tablewright.studio.history.retention import keep_changes
from tablewright.studio.items.item_links import address_of
from tablewright.studio.items.sample_items import fill_with_samples
from tablewright.studio.shell.gate import Sessions
from tablewright.studio.shell.mount import studio_system, system_designs
from tablewright.web.services.services import Services
from tests.studio.kept import TABLE, link
from tests.studio.studios import Visitor, opened, roll_model
from tests.web.serving import live, served

HERE = "/roll-model"
EVIL = '<script>alert("x")</script>'


def key_of(item: dict[str, Any]) -> str:
    return address_of({name: item[name] for name in ("PK", "SK")})


ANN = f"{HERE}/items/{TABLE}/{key_of(link('ann'))}"


async def fill(services: Services) -> None:
    design = roll_model()
    await services.store.ensure_tables(design.tables)
    await keep_changes(services.store, [TABLE])
    await fill_with_samples(services.store, design)


@pytest.fixture
def visitor() -> Iterator[Visitor]:
    """Of a store whose changes are kept."""
    sessions = Sessions()
    with served(studio_system(lambda: [roll_model()], sessions), fill=fill) as server:
        yield Visitor(server, sessions)


@pytest.fixture
def bare() -> Iterator[Visitor]:
    """Of a store as it is made."""
    with opened(roll_model()) as visitor:
        yield visitor


def put(visitor: Visitor, item: dict[str, Any]) -> None:
    call = visitor.server.services.store.call("PutItem", {"TableName": TABLE, "Item": item})
    visitor.server.loop.run(call)


def groups(visitor: Visitor, query: str = "") -> list[Any]:
    stream_groups: list[Any] = visitor.json(f"{HERE}/stream.json{query}")["groups"]
    return stream_groups


def links_to_items(text: str) -> list[str]:
    return [
        html.unescape(address)
        for address in re.findall(r'href="([^"]*/(?:items|patterns)/[^"]*)"', text)
    ]


# The stream.


def test_the_stream_shows_the_samples_as_they_were_written(visitor: Visitor) -> None:
    stream_groups = groups(visitor)
    assert stream_groups
    assert any(group["transaction"] and len(group["changes"]) > 1 for group in stream_groups)
    text = visitor.get(f"{HERE}/stream").text
    assert "Transaction" in text
    assert 'class="chip' in text
    assert not any(group["transaction"] for group in groups(visitor, "?plain=yes"))


def test_a_value_in_the_stream_is_never_markup(visitor: Visitor) -> None:
    put(visitor, link("ann", status=EVIL, **{EVIL: "x"}))
    for path in (f"{HERE}/stream", f"{ANN}?tab=history", f"{HERE}/stream?prefix={quote(EVIL)}"):
        text = visitor.get(path).text
        assert EVIL not in text
        assert html.escape(EVIL, quote=False).split("(")[0] in text


@pytest.mark.parametrize(
    ("query", "status"),
    [("?from=x", 400), ("?op=x", 400), ("?entity=Nothing", 404), ("?table=Nothing", 404)],
)
def test_what_cannot_be_asked_of_the_stream_is_told(
    visitor: Visitor, query: str, status: int
) -> None:
    assert visitor.get(f"{HERE}/stream{query}").status_code == status
    assert (
        visitor.get(f"{HERE}/stream/events{query.replace('from', 'after')}").status_code == status
    )


def test_every_link_of_the_stream_leads_somewhere(visitor: Visitor) -> None:
    text = visitor.get(f"{HERE}/stream?op=insert").text
    addresses = {html.unescape(address) for address in re.findall(r'href="(/studio/[^"#]+)"', text)}
    broken = []
    for address in sorted(addresses):
        if "/capacity" in address or "/system" in address:
            continue
        answer = visitor.get(address.removeprefix("/studio"))
        if answer.status_code != 200:
            broken.append((address, answer.status_code))
    assert broken == []


def test_a_stream_is_turned_on_by_its_button_only(bare: Visitor) -> None:
    page = bare.get(f"{HERE}/stream").text
    assert "The stream of <code>RollModel</code> is off" in page
    assert bare.json(f"{HERE}/stream.json")["tables"][0]["view_type"] == ""
    assert bare.get(f"{HERE}/stream/on").status_code in (404, 405)
    done = bare.post(f"{HERE}/stream/on", {"table": TABLE})
    assert done.status_code == 303
    assert done.headers["location"] == "/studio/roll-model/stream"
    put(bare, link("ann"))
    [group] = groups(bare)
    assert group["changes"][0]["operation"] == "insert"
    assert bare.post(f"{HERE}/stream/on", {"table": TABLE}).status_code == 303
    assert len(groups(bare)) == 1


def test_a_table_of_another_design_is_not_changed(bare: Visitor) -> None:
    assert bare.post(f"{HERE}/stream/on", {"table": "Nothing"}).status_code == 404
    assert bare.post(f"{HERE}/stream/off", {"table": TABLE}).status_code == 404


def test_pages_of_others_cannot_turn_anything_on(bare: Visitor) -> None:
    refused = bare.post(f"{HERE}/stream/on", {"table": TABLE}, origin="http://evil.example")
    assert refused.status_code == 403
    assert bare.json(f"{HERE}/stream.json")["tables"][0]["view_type"] == ""


@pytest.mark.parametrize(
    "back", ["https://evil.example/", "//evil.example/", "/studio/roll-model//evil", "/other/"]
)
def test_a_button_leads_back_to_a_page_of_its_design_only(bare: Visitor, back: str) -> None:
    done = bare.post(f"{HERE}/stream/history", {"back": back})
    assert done.headers["location"] == "/studio/roll-model/stream"


def test_history_is_kept_from_now_on_when_asked(bare: Visitor) -> None:
    page = bare.get(f"{HERE}/collections").text
    assert "No history is recorded for RollModel." in page
    assert "Start recording history" in page
    back = "/studio/roll-model/collections"
    done = bare.post(f"{HERE}/stream/history", {"back": back})
    assert done.headers["location"] == back
    clock = bare.json(f"{HERE}/collections.json")["as_of"]
    assert clock["since"]
    assert clock["reason"] == ""


def test_a_store_that_is_shown_read_only_is_not_told_to_keep_anything(
    bare: Visitor, monkeypatch: pytest.MonkeyPatch
) -> None:
    from tablewright.studio.shell.studio_settings import StudioSettings

    monkeypatch.setattr(StudioSettings, "may_write", False)
    for what in ("on", "history"):
        assert bare.post(f"{HERE}/stream/{what}", {"table": TABLE}).status_code == 403
    page = bare.get(f"{HERE}/stream").text
    assert "read-only: start with --write" in page
    assert "<button>Turn the stream on" not in page
    assert bare.json(f"{HERE}/stream.json")["tables"][0]["view_type"] == ""


def test_a_store_that_is_not_embedded_says_why_it_has_no_stream(
    visitor: Visitor, monkeypatch: pytest.MonkeyPatch
) -> None:
    from tablewright.studio.history import item_history as histories
    from tablewright.studio.history import stream_feed as tailing
    from tablewright.studio.history import stream_pages

    for module in (histories, stream_pages, tailing):
        monkeypatch.setattr(module, "database_of", lambda _: None)
    put(visitor, link("ann"))
    assert "No stream available" in visitor.get(f"{HERE}/stream").text
    assert visitor.get(f"{HERE}/stream/events").status_code == 400
    assert visitor.post(f"{HERE}/stream/on", {"table": TABLE}).status_code == 400
    assert "Only available on the embedded store" in visitor.get(f"{ANN}?tab=history").text


def test_a_stopped_tail_is_told_by_its_server(visitor: Visitor) -> None:
    scope_of = visitor.server.app

    async def stopping(scope: Any, receive: Any, send: Any) -> None:
        await scope_of(scope | {"state": {"is_stopping": lambda: True}}, receive, send)

    async def ask() -> httpx2.Response:
        transport = httpx2.ASGITransport(stopping)
        async with httpx2.AsyncClient(transport=transport, base_url="http://127.0.0.1:8080") as c:
            return await c.get(f"/studio{HERE}/stream/events", headers=visitor.headers)

    answer = visitor.server.loop.run(ask())
    assert answer.headers["content-type"].startswith("text/event-stream")
    assert answer.text == "retry: 1000\n\n"


def _event(lines: Iterator[str]) -> dict[str, str]:
    """The next event that says something."""
    event: dict[str, str] = {}
    for line in lines:
        name, _, text = line.partition(": ")
        if name in ("id", "event"):
            event[name] = text
        elif name == "data":
            event["data"] = event.get("data", "") + text + "\n"
        elif not line and "data" in event:
            return event
    raise AssertionError("the tail ended")


def test_a_tail_brings_changes_as_they_happen_and_goes_on_where_it_broke_off() -> None:
    sessions = Sessions()
    with live(studio_system(lambda: system_designs(["roll-model"]), sessions), fill=fill) as server:
        first = server.request("GET", f"/studio/?token={sessions.new_token()}")
        headers = {"cookie": first.headers["set-cookie"].partition(";")[0]}

        def write(name: str, value: str) -> None:
            item = link(name, status=value)
            database = server.services.store.database  # type: ignore[attr-defined]
            database.call("PutItem", {"TableName": TABLE, "Item": item})

        def tail(query: str = "", **more: str) -> Any:
            path = f"{server.url}/studio{HERE}/stream/events{query}"
            return httpx2.stream("GET", path, headers=headers | more, timeout=20)

        with tail("?prefix=USER%23ann") as answer:
            lines = answer.iter_lines()
            assert next(lines) == "retry: 1000"
            write("ben", "active")
            write("ann", EVIL)
            event = _event(lines)
        assert event["event"] == "changes"
        assert 'id="c' in event["data"]
        assert "USER#" in event["data"]
        assert EVIL not in event["data"]
        assert "ben" not in event["data"]
        write("ann", "missed")
        last_id = {"last-event-id": event["id"]}
        with tail(".json", **last_id) as answer:
            again = _event(answer.iter_lines())
        [group] = json.loads(again["data"])
        assert group["changes"][0]["attributes"][0]["new"] == "missed"


# The past.


def changed_ann(visitor: Visitor) -> tuple[str, str]:
    """An item that was changed once; returns the moments before and after that."""
    put(visitor, link("ann"))
    visitor.server.advance(60)
    put(visitor, link("ann", status="revoked"))
    visitor.server.advance(60)
    change = groups(visitor, "?prefix=USER%23ann")[0]["changes"][0]
    assert change["operation"] == "modify"
    return change["before"], change["after"]


def test_collections_items_and_patterns_are_read_as_they_were(visitor: Visitor) -> None:
    before, after = changed_ann(visitor)
    for moment, status in ((before, "active"), (after, "revoked")):
        item = visitor.json(f"{ANN}.json?as_of={moment}")
        assert f'"{status}"' in item["typed"]
        boxes = visitor.json(f"{HERE}/collections.json?pk=USER%23ann&as_of={moment}")
        cells = boxes["collections"][0]["rows"][0]["cells"]
        assert [c["text"] for c in cells if c["name"] == "status"] == [status]
        run = visitor.json(f"{HERE}/patterns/coach_links.json?athlete_id=ann&run=1&as_of={moment}")
        cells = run["result"]["rows"][0]["cells"]
        assert [c["text"] for c in cells if c["name"] == "status"] == [status]
        assert run["as_of"]["moment"] == moment


def test_links_of_the_past_stay_there_and_nothing_can_be_written(visitor: Visitor) -> None:
    before, _ = changed_ann(visitor)
    moment = quote(before, safe="")
    text = visitor.get(f"{HERE}/collections?pk=USER%23ann&as_of={before}").text
    assert "Showing" in text
    links = links_to_items(text)
    assert links
    assert all(f"as_of={moment}" in address for address in links)
    item = visitor.get(f"{ANN}?as_of={before}").text
    assert "Showing" in item
    assert "/edit" not in item
    assert "Change it" not in item
    assert visitor.get(f"{ANN}/edit?as_of={before}").status_code == 400
    assert visitor.get(f"{HERE}/writes/create.Entry?as_of={before}").status_code == 400


def test_every_pattern_has_a_page_in_the_past(visitor: Visitor) -> None:
    before, _ = changed_ann(visitor)
    for line in visitor.json(f"{HERE}/patterns.json")["patterns"]:
        answer = visitor.get(f"{HERE}/patterns/{line['name']}?as_of={before}")
        assert answer.status_code == 200
        assert f'name="as_of" value="{before}"' in answer.text


@pytest.mark.parametrize("moment", ["x", "1999-01-01T00:00:00Z", "2999-01-01T00:00:00Z"])
@pytest.mark.parametrize("page", ["/collections", "/patterns/list_own_entries"])
def test_a_moment_that_cannot_be_seen_is_told(visitor: Visitor, page: str, moment: str) -> None:
    answer = visitor.get(f"{HERE}{page}?as_of={moment}")
    assert answer.status_code == 400
    assert "not a time" in answer.text or "The past is known from" in answer.text


def test_an_items_history_leads_to_each_version(visitor: Visitor) -> None:
    changed_ann(visitor)
    view = visitor.json(f"{ANN}.json?tab=history")
    assert [v["kind"] for v in view["versions"]] == ["changed", "made"]
    text = visitor.get(f"{ANN}?tab=history").text
    ways = [address for address in links_to_items(text) if "as_of" in address]
    assert len(ways) == 2
    for way, status in zip(ways, ("revoked", "active"), strict=True):
        assert f"&#34;{status}&#34;" in visitor.get(way.removeprefix("/studio")).text


def test_a_removed_item_still_has_its_history(visitor: Visitor) -> None:
    changed_ann(visitor)
    key = {name: link("ann")[name] for name in ("PK", "SK")}
    call = visitor.server.services.store.call("DeleteItem", {"TableName": TABLE, "Key": key})
    visitor.server.loop.run(call)
    assert visitor.get(ANN).status_code == 404
    assert "This item has been removed" in visitor.get(f"{ANN}?tab=history").text
    assert visitor.get(f"{HERE}/stream").status_code == 200
