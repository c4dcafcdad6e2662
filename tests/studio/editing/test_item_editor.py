"""The item editor: lossless, only over what was shown, and never beside the design."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest

from tablewright.studio.items.item_links import address_of
from tests.studio.studios import Visitor, opened, roll_model

KEY = {"PK": {"S": "odd,key/%"}, "SK": {"S": "é#"}}
EVERYTHING: dict[str, Any] = {
    **KEY,
    "s": {"S": "text\r\n<b>"},
    "empty": {"S": ""},
    "n": {"N": "12345678901234567890123456789012345678"},
    "small": {"N": "-0.00000000000000000000000000000000000001"},
    "b": {"B": "AAECAw=="},
    "yes": {"BOOL": True},
    "null": {"NULL": True},
    "ss": {"SS": ["a", "b"]},
    "ns": {"NS": ["1", "2.5"]},
    "bs": {"BS": ["AQ==", "Ag=="]},
    "l": {"L": [{"N": "1"}, {"M": {"deep": {"L": []}}}]},
    "m": {"M": {"a b": {"BOOL": False}}},
}
PATH = f"/roll-model/items/RollModel/{address_of(KEY)}"


@pytest.fixture
def visitor() -> Iterator[Visitor]:
    with opened(roll_model()) as visitor:
        put(visitor, EVERYTHING)
        yield visitor


def put(visitor: Visitor, item: dict[str, Any]) -> None:
    request = {"TableName": "RollModel", "Item": item}
    visitor.server.loop.run(visitor.server.services.store.call("PutItem", request))


def stored(visitor: Visitor, key: dict[str, Any] = KEY) -> Any:
    request = {"TableName": "RollModel", "Key": key}
    return visitor.server.loop.run(visitor.server.services.store.call("GetItem", request)).get(
        "Item"
    )


def edited(visitor: Visitor, path: str, item: Any, **fields: str) -> Any:
    old = visitor.json(f"{path}/edit.json")["old"]
    text = item if isinstance(item, str) else json.dumps(item)
    # As a browser sends it: every line ends with both characters.
    form = {"old": old.replace("\n", "\r\n"), "typed": text, **fields}
    return visitor.post(f"{path}/edit.json", form).json()["view"]


def test_every_type_goes_through_the_editor_and_back_unchanged(visitor: Visitor) -> None:
    typed = json.loads(visitor.json(f"{PATH}/edit.json")["typed"])
    assert typed == EVERYTHING
    view = edited(visitor, PATH, {**typed, "new": {"S": "x"}}, commit="yes")
    assert view["is_done"], view["error"]
    assert stored(visitor) == {**EVERYTHING, "new": {"S": "x"}}


def test_a_preview_tells_every_difference_and_writes_nothing(visitor: Visitor) -> None:
    changed = {**EVERYTHING, "n": {"N": "1"}, "new": {"SS": ["x"]}}
    del changed["b"]
    view = edited(visitor, PATH, changed)
    assert [d["name"] for d in view["differences"]] == ["b", "n", "new"]
    assert view["differences"][1]["new"] == "N 1"
    assert view["is_previewed"]
    assert "ConditionExpression" in view["request"]["json"]
    assert stored(visitor) == EVERYTHING


def test_an_item_that_changed_since_it_was_shown_is_left_alone(visitor: Visitor) -> None:
    old = visitor.json(f"{PATH}/edit.json")["old"]
    put(visitor, {**EVERYTHING, "s": {"S": "somebody else's"}})
    form = {"old": old, "typed": json.dumps({**EVERYTHING, "n": {"N": "2"}}), "commit": "yes"}
    view = visitor.post(f"{PATH}/edit.json", form).json()["view"]
    assert "changed since it was read" in view["error"]
    assert stored(visitor)["s"] == {"S": "somebody else's"}


@pytest.mark.parametrize(
    "text",
    [
        *("", "{", "[]", "1", '{"a": 1}', '{"a": {}}', '{"a": {"X": "1"}}', '{"a": {"N": "x"}}'),
        *('{"a": {"SS": []}}', '{"a": {"L": [1]}}', '{"a": {"S": "1", "N": "1"}}'),
        *('{"a": {"S": 1}}', '{"a": {"M": {"b": 1}}}', '{"a": {"NULL": false}}'),
        '{"a": ' + '{"L": [' * 40 + "]}" * 40 + "}",
    ],
)
def test_what_is_no_item_is_refused(visitor: Visitor, text: str) -> None:
    view = edited(visitor, PATH, text, commit="yes")
    assert view["error"]
    assert not view["is_done"]
    assert stored(visitor) == EVERYTHING


def test_the_key_stays(visitor: Visitor) -> None:
    view = edited(visitor, PATH, {**EVERYTHING, "SK": {"S": "other"}}, commit="yes")
    assert "key" in view["error"]


def item_of(visitor: Visitor, entity: str) -> tuple[str, dict[str, Any]]:
    [collection] = visitor.json("/roll-model/collections.json?pk=USER%23abc")["collections"]
    row = next(row for row in collection["rows"] if row["chip"]["name"] == entity)
    path = f"/roll-model/items/RollModel/{row['address']}"
    item: dict[str, Any] = json.loads(visitor.json(f"{path}.json")["typed"])
    return path, item


def test_an_entity_is_saved_as_the_design_saves_it(visitor: Visitor) -> None:
    path, item = item_of(visitor, "Entry")
    item["sessionMetrics"]["M"]["tags"] = {"L": [{"S": "armbar"}]}
    view = edited(visitor, path, item, commit="yes")
    assert view["is_done"], view["error"]
    assert json.loads(view["typed"])["version"] == {"N": "2"}
    derived = visitor.json(f"{path}.json")["derived"]
    assert {line["state"] for line in derived} == {"in step"}
    assert any(line["key"].split(" / ")[1].startswith("KW#armbar#") for line in derived)


def test_a_derived_item_is_not_edited(visitor: Visitor) -> None:
    path, item = item_of(visitor, "Keyword")
    view = edited(visitor, path, {**item, "x": {"S": "y"}}, commit="yes")
    assert "Edit its Entry instead" in view["error"]


def test_what_the_design_would_lose_is_refused(visitor: Visitor) -> None:
    path, item = item_of(visitor, "Profile")
    view = edited(visitor, path, {**item, "extra": {"S": "y"}}, commit="yes")
    assert "would store extra differently" in view["error"]
