"""Every page and its JSON over HTTP, on samples of designs."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from html.parser import HTMLParser
from typing import Any
from urllib.parse import quote

import pytest

from tablewright.studio.items.item_links import address_of
from tablewright.studio.shell.mount import system_designs
from tablewright.systems.registry import PACKAGES
from tests.studio.studios import Visitor, opened, roll_model

PAGES = ["/", "/map", "/map?view=chart", "/map?view=patterns", "/map?view=markdown"]
PAGES += ["/collections", "/patterns", "/lint", "/lint/TW101", "/stream"]
PAGES += ["/system", "/openapi", "/system/act", "/find", "/saved"]
PAGES += ["/capacity", "/capacity?view=partitions", "/capacity?view=heat", "/capacity?view=limits"]
ENTRY = {"PK": {"S": "USER#abc"}, "SK": {"S": "PROFILE"}}


@pytest.fixture(scope="module")
def visitor() -> Iterator[Visitor]:
    with opened(*system_designs(PACKAGES)) as visitor:
        yield visitor


@pytest.mark.parametrize("system", list(PACKAGES))
@pytest.mark.parametrize("page", PAGES)
def test_every_page_of_every_system_is_shown(visitor: Visitor, system: str, page: str) -> None:
    answer = visitor.get(f"/{system}{page}")
    assert answer.status_code == 200
    assert answer.headers["content-type"].startswith("text/html")
    assert f"<b>{system}</b>" in answer.text


@pytest.mark.parametrize("system", list(PACKAGES))
def test_every_pattern_and_write_has_a_page(visitor: Visitor, system: str) -> None:
    listed = visitor.json(f"/{system}/patterns.json")
    for line in listed["patterns"]:
        assert visitor.get(f"/{system}/patterns/{line['name']}").status_code == 200
    for line in listed["writes"]:
        assert visitor.get(f"/{system}/writes/{line['name']}").status_code == 200


class _Links(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.addresses: set[str] = set()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.addresses |= {value for name, value in attrs if name == "href" and value}


@pytest.mark.parametrize("system", ["roll-model", "stayon", "funkedupshift"])
def test_every_link_leads_somewhere(visitor: Visitor, system: str) -> None:
    links: set[str] = set()
    for page in PAGES:
        parser = _Links()
        parser.feed(visitor.get(f"/{system}{page}").text)
        links |= parser.addresses
    broken = []
    for link in sorted(links):
        path = link.partition("#")[0]
        if path and visitor.get(path.removeprefix("/studio")).status_code not in (200, 303):
            broken.append(link)
    assert broken == []


@pytest.mark.parametrize(
    "path",
    ["/index.json", "/roll-model.json", "/roll-model/map.json", "/roll-model/collections.json"],
)
def test_a_page_has_a_json_twin(visitor: Visitor, path: str) -> None:
    answer = visitor.get(path)
    assert answer.status_code == 200
    assert answer.headers["content-type"] == "application/json"
    assert answer.json()["backend"]["kind"] == "embedded"


def test_the_twin_of_a_page_is_named_in_it(visitor: Visitor) -> None:
    text = visitor.get("/roll-model/collections?pk=USER%23abc").text
    twin = re.search(r'rel="alternate"[^>]*href="([^"]+)"', text)
    assert twin is not None
    link = twin[1].replace("&amp;", "&").removeprefix("/studio")
    assert link == "/roll-model/collections.json?pk=USER%23abc"
    assert visitor.json(link)["is_one"]


@pytest.mark.parametrize(
    ("path", "status"),
    [
        ("/nobody/", 404),
        ("/roll-model/nothing", 404),
        ("/roll-model/patterns/nothing", 404),
        ("/roll-model/writes/create.Nothing", 404),
        ("/roll-model/writes/create.Keyword", 404),
        ("/roll-model/lint/TW999", 404),
        ("/roll-model/collections?table=Nothing", 404),
        ("/roll-model/collections?index=nothing", 404),
        ("/roll-model/collections?partition=%21", 400),
        ("/roll-model/items/RollModel/%21", 400),
        (f"/roll-model/items/RollModel/{address_of({'PK': {'S': 'no'}, 'SK': {'S': 'x'}})}", 404),
        ("/static/nothing.js", 404),
        ("/static/..%2fapp.py", 404),
    ],
)
def test_what_is_not_there_is_told_in_a_page(visitor: Visitor, path: str, status: int) -> None:
    answer = visitor.get(path)
    assert answer.status_code == status
    assert "Traceback" not in answer.text


def test_a_lone_design_is_where_the_root_leads() -> None:
    with opened(roll_model()) as alone:
        assert alone.get("/").headers["location"] == "/studio/roll-model/"


def test_several_designs_are_listed(visitor: Visitor) -> None:
    cards = visitor.json("/index.json")["cards"]
    assert [card["name"] for card in cards] == list(PACKAGES)


# Collections.


def test_a_collection_shows_its_items_in_the_order_of_the_sort_key(visitor: Visitor) -> None:
    view = visitor.json("/roll-model/collections.json?pk=USER%23abc")
    [collection] = view["collections"]
    keys = ["".join(s["text"] for s in row["sort"]) for row in collection["rows"]]
    assert len(keys) > 5
    assert keys == sorted(keys)
    assert "PROFILE" in keys
    assert view["request"]["json"].count("KeyConditionExpression") == 1


def test_all_partitions_are_found_page_by_page_without_a_long_scan(visitor: Visitor) -> None:
    table = roll_model().tables[0].name
    scanned = visitor.server.loop.run(
        visitor.server.services.store.call("Scan", {"TableName": table})
    )
    expected = {item["PK"]["S"] for item in scanned["Items"]}
    keys: list[str] = []
    path = "/roll-model/collections.json"
    while path:
        answer = visitor.get(path).json()
        assert all(request["units"] <= 1 for request in answer["requests"])
        view = answer["view"]
        keys += ["".join(s["text"] for s in c["segments"]) for c in view["collections"]]
        path = f"/roll-model/collections.json?start={view['next']}" if view["next"] else ""
    assert len(keys) == len(set(keys))
    assert set(keys) == expected


def test_an_index_groups_the_same_items_by_its_own_key(visitor: Visitor) -> None:
    for place in visitor.json("/funkedupshift/collections.json")["places"]:
        query = f"table={quote(place['table'])}&index={quote(place['index'])}"
        view = visitor.json(f"/funkedupshift/collections.json?{query}")
        assert view["index"] == place["index"]
        for collection in view["collections"]:
            keys = {"".join(s["text"] for s in row["partition"]) for row in collection["rows"]}
            assert keys == {"".join(s["text"] for s in collection["segments"])}


def test_a_collection_leads_to_its_readers_and_they_find_its_items(visitor: Visitor) -> None:
    [collection] = visitor.json("/roll-model/collections.json?pk=USER%23abc")["collections"]
    readers = {reader["name"]: reader["arguments"] for reader in collection["readers"]}
    assert readers["list_own_entries"] == {"athlete_id": "abc"}
    assert "get_entry_meta" not in readers
    view = visitor.json("/roll-model/patterns/list_own_entries.json?athlete_id=abc&run=1")
    assert {row["chip"]["name"] for row in view["result"]["rows"]} == {"Entry"}


def test_an_item_links_to_the_collections_its_values_name(visitor: Visitor) -> None:
    [collection] = visitor.json("/roll-model/collections.json?pk=USER%23abc")["collections"]
    entry = next(row for row in collection["rows"] if row["chip"]["name"] == "Entry")
    labels = [link["label"] for link in entry["links"]]
    assert any(label.startswith("ENTRY#") for label in labels)
    assert "USER#abc" not in labels


def test_no_such_partition_is_told(visitor: Visitor) -> None:
    assert "No item has this partition key" in visitor.get("/roll-model/collections?pk=x").text


# Items.


def test_an_item_tells_its_attributes_with_types_and_sizes(visitor: Visitor) -> None:
    view = visitor.json(f"/roll-model/items/RollModel/{address_of(ENTRY)}.json")
    assert view["row"]["chip"]["name"] == "Profile"
    assert sum(line["size"] for line in view["attributes"]) == view["size"]
    assert {line["name"]: line["type"] for line in view["attributes"]}["roles"] == "L"


def test_derived_items_are_shown_and_drift_is_seen(visitor: Visitor) -> None:
    [collection] = visitor.json("/roll-model/collections.json?pk=USER%23abc")["collections"]
    entry = next(row for row in collection["rows"] if row["chip"]["name"] == "Entry")
    path = f"/roll-model/items/RollModel/{entry['address']}.json"
    view = visitor.json(path)
    assert {line["state"] for line in view["derived"]} == {"in step"}
    lost = next(line for line in view["derived"] if line["chip"]["name"] == "EntryMeta")
    meta = visitor.json(f"/roll-model/items/RollModel/{lost['address']}.json")
    assert meta["sources"][0][0]["name"] == "Entry"
    assert meta["writes"] == []
    key = {name: value for name, value in json.loads(meta["typed"]).items() if name in ENTRY}
    request = {"TableName": "RollModel", "Key": key}
    store = visitor.server.services.store
    visitor.server.loop.run(store.call("DeleteItem", request))
    after = visitor.json(path)
    assert [d["chip"]["name"] for d in after["derived"] if d["state"] == "missing"] == ["EntryMeta"]
    item = json.loads(meta["typed"])
    visitor.server.loop.run(store.call("PutItem", {"TableName": "RollModel", "Item": item}))


PLANTED = '<script>alert("x")</script><img src=x onerror=alert(1)>'


def test_values_of_items_are_never_markup(visitor: Visitor) -> None:
    item: dict[str, Any] = {
        "PK": {"S": f"USER#{PLANTED}"},
        "SK": {"S": PLANTED},
        PLANTED: {"S": PLANTED},
        "m": {"M": {PLANTED: {"L": [{"S": PLANTED}]}}},
    }
    store = visitor.server.services.store
    visitor.server.loop.run(store.call("PutItem", {"TableName": "RollModel", "Item": item}))
    key = {name: item[name] for name in ("PK", "SK")}
    pages = [
        f"/roll-model/collections?pk={quote(item['PK']['S'])}",
        f"/roll-model/items/RollModel/{address_of(key)}",
        f"/roll-model/patterns/list_own_entries?athlete_id={quote(PLANTED)}&run=1",
        f"/roll-model/collections?table={quote(PLANTED)}",
    ]
    for page in pages:
        text = visitor.get(page).text
        assert "<script>alert" not in text
        assert "<img" not in text
    posted = visitor.post("/roll-model/writes/create.Entry", {"Entry": PLANTED}).text
    assert "<script>alert" not in posted
    visitor.server.loop.run(store.call("DeleteItem", {"TableName": "RollModel", "Key": key}))


# Patterns.


def test_a_run_shows_rows_the_request_and_what_it_took(visitor: Visitor) -> None:
    path = "/roll-model/patterns/list_own_entries.json?athlete_id=abc&run=1&limit=2"
    view = visitor.json(path)
    assert len(view["result"]["rows"]) == 2
    assert view["result"]["units"] == "1 RCU"
    assert '"S": "USER#abc"' in view["request"]["json"]
    assert "client.query(" in view["request"]["boto3"]
    assert view["request"]["cli"].startswith("aws dynamodb query")
    rest = visitor.json(f"{path}&after={view['result']['next']}")
    first = {row["address"] for row in view["result"]["rows"]}
    assert first.isdisjoint(row["address"] for row in rest["result"]["rows"])


def test_a_pattern_is_explained_without_arguments(visitor: Visitor) -> None:
    view = visitor.json("/roll-model/patterns/list_own_entries.json")
    assert view["result"] is None
    assert view["is_example"]
    assert view["plan"]["per_million"] == "1.25"


def test_a_run_that_lacks_an_argument_says_which(visitor: Visitor) -> None:
    view = visitor.json("/roll-model/patterns/get_link.json?athlete_id=abc&run=1")
    assert view["result"] is None
    assert "coach_id" in view["error"]


def test_an_argument_of_the_wrong_type_is_told_at_its_field(visitor: Visitor) -> None:
    path = "/roll-model/patterns/list_entries_in_range.json?athlete_id=abc&created_at.low=no&run=1"
    view = visitor.json(path)
    assert view["error"].startswith("created_at")
    assert [i["name"] for i in view["inputs"] if i["error"]] == ["created_at"]


def test_ranges_and_many_values_come_from_their_fields(visitor: Visitor) -> None:
    path = "/roll-model/patterns/list_entries_in_range.json?athlete_id=abc&run=1"
    inside = visitor.json(f"{path}&created_at.low=2026-01-01&created_at.high=2026-01-31")
    outside = visitor.json(f"{path}&created_at.low=2027-01-01&created_at.high=")
    assert inside["result"]["rows"]
    assert not outside["result"]["rows"]
    many = visitor.json("/roll-model/patterns/profiles.json?user_id=abc%0Aabc2&run=1")
    assert len(many["result"]["rows"]) == 2


def test_a_composed_pattern_runs_too(visitor: Visitor) -> None:
    view = visitor.json("/roll-model/patterns/list_coaches_of_athlete.json?athlete_id=abc&run=1")
    assert view["result"]["calls"] == 2


# Lint.


def test_explained_findings_are_shown_with_their_reason(visitor: Visitor) -> None:
    view = visitor.json("/funkedupshift/lint.json")
    assert view["findings"] == []
    assert all(finding["reason"] for finding in view["explained"])
    assert any(line["is_meant"] for line in view["explained"][0]["source"])
