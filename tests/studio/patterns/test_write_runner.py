"""Writes in the studio: the whole transaction first, the write only when it is asked for."""

from __future__ import annotations

import html
import json
import re
from collections.abc import Iterator
from typing import Any

import pytest

from tests.studio.studios import Visitor, opened, roll_model

ENTRY = "/roll-model/writes/create.Entry"


@pytest.fixture
def visitor() -> Iterator[Visitor]:
    with opened(roll_model()) as visitor:
        yield visitor


def sample(visitor: Visitor, name: str = "create.Entry", **changes: Any) -> str:
    [document] = visitor.json(f"/roll-model/writes/{name}.json")["documents"]
    return json.dumps(json.loads(document["text"]) | changes)


def new_entry(visitor: Visitor) -> str:
    return sample(visitor, entryId="11111111-2222-4333-8444-555555555555", athleteId="zoe")


def items_of(visitor: Visitor, key: str) -> list[Any]:
    collections = visitor.json(f"/roll-model/collections.json?pk={key}")["collections"]
    return [row for collection in collections for row in collection["rows"]]


def test_a_preview_shows_every_action_and_writes_nothing(visitor: Visitor) -> None:
    answer = visitor.post(f"{ENTRY}.json", {"Entry": new_entry(visitor)})
    view = answer.json()["view"]
    names = [action["chip"]["name"] for action in view["actions"]]
    assert names == ["Entry", "EntryMeta", "Keyword", "Keyword", "Keyword"]
    assert "attribute_not_exists(PK)" in view["actions"][0]["condition"]
    assert "zoe" in view["request"]["json"]
    assert view["bounds"][0].startswith("5 of 100 actions")
    assert not view["is_done"]
    assert items_of(visitor, "USER%23zoe") == []


def test_a_commit_writes_the_item_with_all_that_is_derived(visitor: Visitor) -> None:
    answer = visitor.post(f"{ENTRY}.json", {"Entry": new_entry(visitor), "commit": "yes"})
    view = answer.json()["view"]
    assert view["is_done"], view["error"]
    assert view["units"].endswith("WCU")
    names = [row["chip"]["name"] for row in items_of(visitor, "USER%23zoe")]
    assert names == ["Entry", "Keyword", "Keyword", "Keyword"]


def test_what_is_there_already_is_not_written_twice(visitor: Visitor) -> None:
    form = {"Entry": new_entry(visitor), "commit": "yes"}
    visitor.post(ENTRY, form)
    again = visitor.post(f"{ENTRY}.json", form).json()["view"]
    assert not again["is_done"]
    assert again["error"].startswith("The store rejected the write")


@pytest.mark.parametrize("text", ["", "{", "[]", '{"entryId": 1}', "null", '"x"'])
def test_what_is_no_item_is_told_and_nothing_is_written(visitor: Visitor, text: str) -> None:
    form = {"Entry": text or " ", "commit": "yes"}
    view = visitor.post(f"{ENTRY}.json", form).json()["view"]
    assert view["error"]
    assert not view["is_done"]


def test_a_save_is_made_of_the_difference_to_what_is_stored(visitor: Visitor) -> None:
    visitor.post(ENTRY, {"Entry": new_entry(visitor), "commit": "yes"})
    changed = json.loads(new_entry(visitor))
    changed["sessionMetrics"]["tags"] = ["abc", "armbar"]
    form = {"Entry": json.dumps(changed), "commit": "yes"}
    view = visitor.post("/roll-model/writes/save.Entry.json", form).json()["view"]
    assert view["is_done"], view["error"]
    kinds = [action["kind"] for action in view["actions"]]
    assert "delete" in kinds
    keys = ["".join(s["text"] for s in row["sort"]) for row in items_of(visitor, "USER%23zoe")]
    assert any(key.startswith("KW#armbar#") for key in keys)
    assert not any(key.startswith("KW#abc3#") for key in keys)


def test_a_delete_takes_the_derived_items_along(visitor: Visitor) -> None:
    visitor.post(ENTRY, {"Entry": new_entry(visitor), "commit": "yes"})
    form = {"Entry": new_entry(visitor), "commit": "yes"}
    view = visitor.post("/roll-model/writes/delete.Entry.json", form).json()["view"]
    assert view["is_done"], view["error"]
    assert items_of(visitor, "USER%23zoe") == []


def test_a_save_of_what_is_not_there_is_refused(visitor: Visitor) -> None:
    form = {"Entry": new_entry(visitor), "commit": "yes"}
    view = visitor.post("/roll-model/writes/save.Entry.json", form).json()["view"]
    assert "there is no Entry" in view["error"]


def test_an_item_page_offers_itself_to_be_changed(visitor: Visitor) -> None:
    visitor.post(ENTRY, {"Entry": new_entry(visitor), "commit": "yes"})
    row = items_of(visitor, "USER%23zoe")[0]
    text = visitor.get(f"/roll-model/items/RollModel/{row['address']}").text
    match = re.search(r'<textarea name="Entry" hidden>(.*?)</textarea>', text, re.DOTALL)
    assert match is not None
    form = {"Entry": html.unescape(match[1])}
    view = visitor.post("/roll-model/writes/save.Entry.json", form).json()["view"]
    assert view["is_previewed"], view["error"]


def test_a_store_that_is_shown_read_only_refuses_to_commit(
    visitor: Visitor, monkeypatch: pytest.MonkeyPatch
) -> None:
    from tablewright.studio.shell.studio_settings import StudioSettings

    monkeypatch.setattr(StudioSettings, "may_write", False)
    form = {"Entry": new_entry(visitor), "commit": "yes"}
    assert visitor.post(ENTRY, form).status_code == 403
    assert items_of(visitor, "USER%23zoe") == []
    assert visitor.post(ENTRY, {"Entry": form["Entry"]}).status_code == 200
