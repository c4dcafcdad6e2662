"""Reading and changing items by document path, without changing the original item."""

from __future__ import annotations

import copy

import pytest

from tablewright.values.attributes import Item
from tablewright.values.paths import MissingParent, Path, get, has_parent, pick, remove, replace

ITEM: Item = {
    "a": {"N": "1"},
    "m": {"M": {"x": {"S": "y"}, "l": {"L": [{"N": "0"}, {"N": "1"}, {"M": {"z": {"N": "2"}}}]}}},
}


@pytest.fixture(autouse=True)
def _item_stays_as_it_was() -> object:
    before = copy.deepcopy(ITEM)
    yield
    assert before == ITEM


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        (("a",), {"N": "1"}),
        (("m", "x"), {"S": "y"}),
        (("m", "l", 1), {"N": "1"}),
        (("m", "l", 2, "z"), {"N": "2"}),
        (("b",), None),
        (("b", "c", 0), None),
        (("a", "c"), None),
        (("m", 0), None),
        (("m", "l", "x"), None),
        (("m", "l", 3), None),
    ],
)
def test_get_returns_what_is_there_or_none(path: Path, expected: object) -> None:
    assert get(ITEM, path) == expected


def test_replace_shares_what_it_does_not_touch() -> None:
    new = replace(ITEM, ("m", "x"), {"N": "9"})
    assert new["m"]["M"]["x"] == {"N": "9"}
    assert new["m"]["M"]["l"] is ITEM["m"]["M"]["l"]
    assert new["a"] is ITEM["a"]


def test_replace_beyond_the_end_of_a_list_appends() -> None:
    new = replace(ITEM, ("m", "l", 99), {"N": "9"})
    assert len(new["m"]["M"]["l"]["L"]) == 4
    assert new["m"]["M"]["l"]["L"][3] == {"N": "9"}


@pytest.mark.parametrize(
    "path", [("b", "c"), ("a", "c"), ("m", 0), ("m", "l", "x"), ("m", "l", 9, "q")]
)
def test_a_change_needs_a_parent_of_the_right_kind(path: Path) -> None:
    assert not has_parent(ITEM, path)
    with pytest.raises(MissingParent):
        replace(ITEM, path, {"N": "9"})
    with pytest.raises(MissingParent):
        remove(ITEM, path)


def test_remove_takes_out_attributes_members_and_elements() -> None:
    assert "a" not in remove(ITEM, ("a",))
    assert "x" not in remove(ITEM, ("m", "x"))["m"]["M"]
    assert remove(ITEM, ("m", "l", 0))["m"]["M"]["l"]["L"][0] == {"N": "1"}


@pytest.mark.parametrize("path", [("b",), ("m", "q"), ("m", "l", 7)])
def test_removing_what_is_not_there_changes_nothing(path: Path) -> None:
    assert remove(ITEM, path) == ITEM


def test_pick_keeps_only_the_paths_and_closes_gaps_in_lists() -> None:
    picked = pick(ITEM, [("m", "l", 2, "z"), ("m", "l", 0), ("a",), ("b",), ("m", "q")])
    assert picked == {
        "a": {"N": "1"},
        "m": {"M": {"l": {"L": [{"N": "0"}, {"M": {"z": {"N": "2"}}}]}}},
    }


def test_pick_of_nothing_is_empty() -> None:
    assert pick(ITEM, [("b",), ("m", "q", 1)]) == {}
