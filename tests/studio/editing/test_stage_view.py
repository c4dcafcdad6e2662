"""The stage: edits are gathered, looked at, dropped, and committed as one transaction or not."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest

from tablewright.studio.editing.stage_store import ITEMS_MAX, Change, Stage, StageFull
from tablewright.studio.items.item_links import address_of
from tests.studio.studios import Visitor, opened, roll_model

KEY = {"PK": {"S": "odd"}, "SK": {"S": "one"}}
ODD: dict[str, Any] = {**KEY, "n": {"N": "1"}, "s": {"S": "text"}}
PATH = f"/roll-model/items/RollModel/{address_of(KEY)}"


@pytest.fixture
def visitor() -> Iterator[Visitor]:
    with opened(roll_model()) as visitor:
        put(visitor, ODD)
        yield visitor


def put(visitor: Visitor, item: dict[str, Any]) -> None:
    request = {"TableName": "RollModel", "Item": item}
    visitor.server.loop.run(visitor.server.services.store.call("PutItem", request))


def stored(visitor: Visitor, key: dict[str, Any]) -> Any:
    request = {"TableName": "RollModel", "Key": key}
    return visitor.server.loop.run(visitor.server.services.store.call("GetItem", request)).get(
        "Item"
    )


def path_of(visitor: Visitor, entity: str) -> str:
    [collection] = visitor.json("/roll-model/collections.json?pk=USER%23abc")["collections"]
    row = next(row for row in collection["rows"] if row["chip"]["name"] == entity)
    return f"/roll-model/items/RollModel/{row['address']}"


def item_at(visitor: Visitor, path: str) -> dict[str, Any]:
    item: dict[str, Any] = json.loads(visitor.json(f"{path}.json")["typed"])
    return item


def stage(visitor: Visitor, path: str, item: Any = None, **fields: str) -> Any:
    """What the stage shows after an edit was added to it."""
    form = {"old": visitor.json(f"{path}/edit.json")["old"], "stage": "yes", **fields}
    if item is not None:
        form["typed"] = json.dumps(item)
    answer = visitor.post(f"{path}/edit.json", form)
    assert answer.status_code == 303, answer.json()["view"]["error"]
    return staged(visitor)


def staged(visitor: Visitor) -> Any:
    return visitor.json("/roll-model/stage.json")


def do(visitor: Visitor, what: str, **fields: str) -> Any:
    answer = visitor.post("/roll-model/stage.json", {"do": what, **fields})
    if answer.status_code == 303:
        return staged(visitor)
    assert answer.status_code == 200, answer.text
    return answer.json()["view"]


def test_an_edit_is_staged_with_its_differences_and_not_written(visitor: Visitor) -> None:
    view = stage(visitor, PATH, {**ODD, "n": {"N": "2"}})
    [item] = view["items"]
    assert item["kind"] == "change"
    assert item["differences"] == [{"name": "n", "old": "N 1", "new": "N 2", "is_key": False}]
    assert view["total"]["actions"] == 1
    # One row of less than 1 KB, alone: one unit.
    assert view["total"]["units"] == "1"
    assert "UpdateExpression" in view["request"]["boto3"]
    assert stored(visitor, KEY) == ODD


def test_two_items_are_committed_as_one_transaction(visitor: Visitor) -> None:
    other = {"PK": {"S": "odd"}, "SK": {"S": "two"}}
    put(visitor, other)
    stage(visitor, PATH, {**ODD, "n": {"N": "2"}})
    path = f"/roll-model/items/RollModel/{address_of(other)}"
    view = stage(visitor, path, {**other, "x": {"BOOL": True}})
    assert view["request"]["json"].count('"ConditionExpression"') == 2
    assert "TransactItems" in view["request"]["json"]
    # Twice one unit each, as a transaction doubles them.
    assert view["total"]["units"] == "4"
    done = do(visitor, "commit")
    assert done["written"] == 2
    assert done["units"] == "4"
    assert done["items"] == []
    assert stored(visitor, KEY)["n"] == {"N": "2"}
    assert stored(visitor, other) == {**other, "x": {"BOOL": True}}


def test_an_entity_is_committed_with_its_derived_items(visitor: Visitor) -> None:
    path = path_of(visitor, "Entry")
    item = item_at(visitor, path)
    item["sessionMetrics"]["M"]["tags"] = {"L": [{"S": "armbar"}]}
    view = stage(visitor, path, item)
    texts = [action["text"] for action in view["actions"]]
    assert texts[0] == "save Entry"
    assert len(texts) > 2
    assert {action["chip"]["name"] for action in view["actions"]} >= {"Entry", "Keyword"}
    assert do(visitor, "commit")["written"] == 1
    derived = visitor.json(f"{path}.json")["derived"]
    assert {line["state"] for line in derived} == {"in step"}


def test_the_form_saves_one_field_and_moves_what_follows_from_it(visitor: Visitor) -> None:
    path = path_of(visitor, "Entry")
    fields = {f["name"]: f for f in visitor.json(f"{path}/edit.json")["fields"]}
    assert fields["athleteId"]["locked"] == "part of the key"
    assert fields["version"]["locked"] == "incremented on save"
    before = item_at(visitor, path)
    texts = {f["field"]: f["text"] for f in fields.values()}
    later = {**texts, "s.updatedAt": "2026-02-03T04:05:06.000Z"}
    view = stage(visitor, path, **later)
    [item] = view["items"]
    assert [d["name"] for d in item["differences"]] == ["updatedAt"]
    assert do(visitor, "commit")["written"] == 1
    after = item_at(visitor, path)
    changed = {n for n in before.keys() | after.keys() if before.get(n) != after.get(n)}
    assert changed == {"updatedAt", "version"}


def test_a_form_sent_back_as_it_was_changes_nothing(visitor: Visitor) -> None:
    path = path_of(visitor, "Entry")
    view = visitor.json(f"{path}/edit.json")
    assert view["tab"] == "form"
    # As a browser sends it: every line ends with both characters.
    texts = {f["field"]: f["text"].replace("\n", "\r\n") for f in view["fields"]}
    answer = visitor.post(f"{path}/edit.json", {"old": view["old"], "stage": "yes", **texts})
    assert answer.json()["view"]["error"] == "No changes."
    assert staged(visitor)["items"] == []


@pytest.mark.parametrize(
    ("field", "text", "message"),
    [
        ("json.sessionMetrics", "{", "Invalid JSON"),
        ("json.sessionMetrics", '{"S": "x"}', "sessionMetrics"),
        ("json.sessionMetrics", '{"N": "x"}', "sessionMetrics"),
        ("s.updatedAt", "<b>later</b>", "updatedAt"),
        ("n.version", "7", "incremented on save"),
        ("s.athleteId", "walt", "part of the key"),
    ],
)
def test_a_field_that_does_not_fit_is_told_beside_it(
    visitor: Visitor, field: str, text: str, message: str
) -> None:
    path = path_of(visitor, "Entry")
    form = {"old": visitor.json(f"{path}/edit.json")["old"], "stage": "yes", field: text}
    view = visitor.post(f"{path}/edit.json", form).json()["view"]
    assert message in view["error"]
    assert next(f for f in view["fields"] if f["field"] == field)["error"]
    assert staged(visitor)["items"] == []
    assert "<b>later" not in visitor.post(f"{path}/edit", form).text


def test_an_item_is_created_from_a_form_and_its_key_is_made_of_it(visitor: Visitor) -> None:
    page = visitor.json("/roll-model/create/CoachLink.json")
    assert page["is_new"]
    texts = {f["field"]: f["text"] for f in page["fields"]}
    athlete = next(f["field"] for f in page["fields"] if f["name"] == "athleteId")
    view = visitor.post("/roll-model/create/CoachLink.json", {**texts, athlete: "walt"})
    assert view.json()["view"]["row"]["partition"][-1]["text"] == "walt"
    again = visitor.post(
        "/roll-model/create/CoachLink.json", {**texts, athlete: "walt", "stage": "yes"}
    )
    assert again.status_code == 303
    [item] = staged(visitor)["items"]
    assert item["kind"] == "create"
    assert do(visitor, "commit")["written"] == 1
    [collection] = visitor.json("/roll-model/collections.json?pk=USER%23walt")["collections"]
    assert "CoachLink" in {row["chip"]["name"] for row in collection["rows"]}


def test_an_item_that_is_there_already_is_not_created_again(visitor: Visitor) -> None:
    texts = {
        f["field"]: f["text"] for f in visitor.json("/roll-model/create/Profile.json")["fields"]
    }
    view = visitor.post("/roll-model/create/Profile.json", {**texts, "stage": "yes"}).json()["view"]
    assert "already" in view["error"]


def test_an_item_is_deleted_with_what_was_derived_from_it(visitor: Visitor) -> None:
    path = path_of(visitor, "Entry")
    derived = visitor.json(f"{path}.json")["derived"]
    assert derived
    view = stage(visitor, path, delete="yes")
    assert view["items"][0]["kind"] == "delete"
    assert len(view["actions"]) > len(derived)
    assert do(visitor, "commit")["written"] == 1
    assert visitor.get(f"{path}.json").status_code == 404
    for line in derived:
        address = f"/roll-model/items/RollModel/{line['address']}.json"
        assert visitor.get(address).status_code == 404


def test_an_item_of_no_entity_is_deleted_as_it_was_read(visitor: Visitor) -> None:
    stage(visitor, PATH, delete="yes")
    assert do(visitor, "commit")["written"] == 1
    assert stored(visitor, KEY) is None


def test_an_attribute_is_dropped_and_the_item_with_the_last(visitor: Visitor) -> None:
    view = stage(visitor, PATH, {**KEY, "n": {"N": "2"}, "new": {"S": "x"}})
    place = {"table": "RollModel", "address": address_of(KEY)}
    assert [d["name"] for d in view["items"][0]["differences"]] == ["n", "new", "s"]
    view = do(visitor, "drop_attribute", name="s", **place)
    assert [d["name"] for d in view["items"][0]["differences"]] == ["n", "new"]
    do(visitor, "drop_attribute", name="new", **place)
    assert do(visitor, "drop_attribute", name="n", **place)["items"] == []


def test_an_item_is_dropped_and_everything_is(visitor: Visitor) -> None:
    stage(visitor, PATH, {**ODD, "n": {"N": "2"}})
    assert do(visitor, "drop", table="RollModel", address=address_of(KEY))["items"] == []
    stage(visitor, PATH, {**ODD, "n": {"N": "2"}})
    assert do(visitor, "clear")["items"] == []


def test_a_conflict_names_the_item_writes_nothing_and_can_be_read_again(visitor: Visitor) -> None:
    path = path_of(visitor, "Entry")
    entry = item_at(visitor, path)
    entry["sessionMetrics"]["M"]["tags"] = {"L": [{"S": "armbar"}]}
    stage(visitor, path, entry)
    stage(visitor, PATH, {**ODD, "n": {"N": "2"}})
    put(visitor, {**ODD, "s": {"S": "somebody else's"}})
    view = do(visitor, "commit")
    assert view["written"] == 0
    assert view["conflicts"] == ["change item at odd / one"]
    assert [item["is_changed"] for item in view["items"]] == [False, True]
    assert item_at(visitor, path)["version"] == {"N": "1"}
    view = do(visitor, "read")
    assert view["notes"] == ["odd / one was read again."]
    assert [d["name"] for d in view["items"][1]["differences"]] == ["n"]
    assert do(visitor, "commit")["written"] == 2
    assert stored(visitor, KEY) == {**ODD, "n": {"N": "2"}, "s": {"S": "somebody else's"}}
    assert item_at(visitor, path)["version"] == {"N": "2"}


def test_an_entity_that_somebody_saved_meanwhile_is_a_conflict(visitor: Visitor) -> None:
    path = path_of(visitor, "Entry")
    entry = item_at(visitor, path)
    changed = json.loads(json.dumps(entry))
    changed["sessionMetrics"]["M"]["tags"] = {"L": [{"S": "armbar"}]}
    stage(visitor, path, changed)
    put(visitor, {**entry, "version": {"N": "5"}})
    view = do(visitor, "commit")
    assert view["conflicts"][0].startswith("save Entry at USER#abc / ")
    assert view["items"][0]["is_changed"]


def test_an_item_that_is_gone_leaves_the_stage_when_it_is_read_again(visitor: Visitor) -> None:
    stage(visitor, PATH, {**ODD, "n": {"N": "2"}})
    request = {"TableName": "RollModel", "Key": KEY}
    visitor.server.loop.run(visitor.server.services.store.call("DeleteItem", request))
    assert do(visitor, "commit")["conflicts"]
    view = do(visitor, "read")
    assert view["items"] == []
    assert "gone" in view["notes"][0]


def test_what_others_added_meanwhile_is_not_lost(visitor: Visitor) -> None:
    stage(visitor, PATH, {**ODD, "n": {"N": "2"}})
    put(visitor, {**ODD, "added": {"S": "by somebody"}})
    assert do(visitor, "commit")["written"] == 1
    assert stored(visitor, KEY) == {**ODD, "n": {"N": "2"}, "added": {"S": "by somebody"}}


def test_a_derived_item_is_not_edited_in_any_way(visitor: Visitor) -> None:
    path = path_of(visitor, "Keyword")
    assert "Edit its Entry instead" in visitor.get(f"{path}/edit").text
    old = visitor.json(f"{path}/edit.json")["old"]
    for form in ({"delete": "yes"}, {"stage": "yes", "typed": "{}"}):
        view = visitor.post(f"{path}/edit.json", {"old": old, **form}).json()["view"]
        assert "Edit its Entry instead" in view["error"]
    assert "derived" in visitor.json("/roll-model/create/Keyword.json")["locked"]
    assert staged(visitor)["items"] == []


def test_two_browsers_have_two_stages(visitor: Visitor) -> None:
    stage(visitor, PATH, {**ODD, "n": {"N": "2"}})
    other = Visitor(visitor.server, visitor.sessions)
    assert staged(other)["items"] == []
    assert len(staged(visitor)["items"]) == 1


def test_a_staged_item_is_edited_on_from_where_it_was_left(visitor: Visitor) -> None:
    stage(visitor, PATH, {**ODD, "n": {"N": "2"}})
    view = visitor.json(f"{PATH}/edit.json")
    assert view["was_staged"]
    assert json.loads(view["typed"])["n"] == {"N": "2"}


def test_planted_markup_is_shown_as_text(visitor: Visitor) -> None:
    bad = '<img src=x onerror=alert(1)>"'
    stage(visitor, PATH, {**ODD, bad: {"S": bad}})
    text = visitor.get("/roll-model/stage").text + visitor.get(f"{PATH}/edit").text
    assert "<img" not in text
    assert "&lt;img" in text


def test_what_the_stage_is_not_asked_for_is_refused(visitor: Visitor) -> None:
    assert visitor.post("/roll-model/stage", {"do": "explode"}).status_code == 400
    assert visitor.get("/roll-model/stage?as_of=2026-01-01T00:00:00Z").status_code == 400
    assert visitor.get("/roll-model/create/Nobody").status_code == 404
    assert visitor.get(f"{PATH}/edit?as_of=2026-01-01T00:00:00Z").status_code == 400
    # Nothing is staged: nothing is committed either.
    assert do(visitor, "commit")["error"] == "Nothing is staged."


def test_a_stage_has_bounds() -> None:
    [table] = roll_model().tables
    full = Stage()
    for number in range(ITEMS_MAX):
        item = {"PK": {"S": "x"}, "SK": {"S": str(number)}}
        full.add(Change(table, None, item))
    with pytest.raises(StageFull, match="100 items"):
        full.add(Change(table, None, {"PK": {"S": "y"}, "SK": {"S": "y"}}))
    full.add(Change(table, None, {"PK": {"S": "x"}, "SK": {"S": "1"}, "a": {"S": "b"}}))
    assert len(full) == ITEMS_MAX
    large = Stage()
    for number in range(11):
        item = {"PK": {"S": "x"}, "SK": {"S": str(number)}, "text": {"S": "x" * 380_000}}
        large.add(Change(table, None, item))
    with pytest.raises(StageFull, match="4 MB"):
        large.add(
            Change(table, None, {"PK": {"S": "z"}, "SK": {"S": "z"}, "t": {"S": "x" * 60_000}})
        )
