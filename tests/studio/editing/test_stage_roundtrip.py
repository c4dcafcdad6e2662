"""Every DynamoDB type goes through both tabs of the editor, the stage and the commit unharmed.

The pages are read as a browser reads them and sent as a browser sends them, with what that does
to the ends of lines and to characters that HTML does not have.
"""

from __future__ import annotations

import json
import re
import sys
from base64 import b64encode
from collections.abc import Iterator
from decimal import Decimal
from html.parser import HTMLParser
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tablewright import Design, Get, Model, Table, pattern, served
from tablewright.studio.items.item_links import address_of
from tablewright.studio.shell.loaded_design import LoadedDesign
from tablewright.values.attributes import equal, in_order
from tests.studio.studios import Visitor, opened

T = Table("Kept")


@T.entity("THING#{id}", "META", version=None)
class Thing(Model):
    """One of everything."""

    id: str
    s: str | None = None
    n: Decimal | None = None
    b: bytes | None = None
    flag: bool | None = None
    ss: set[str] | None = None
    ns: set[Decimal] | None = None
    bs: set[bytes] | None = None
    l: list[Any] | None = None  # noqa: E741 (named as the type is)
    m: dict[str, Any] | None = None


class TableRetention(Design, tables=[T]):
    @pattern()
    def thing(self, id: str) -> Get[Thing]:  # noqa: A002 (the field's name)
        return served()


DESIGN = LoadedDesign("kept", TableRetention, (T,), sys.modules[__name__])
KEY = {"PK": {"S": "THING#a"}, "SK": {"S": "META"}}
ODD_KEY = {"PK": {"S": "odd"}, "SK": {"S": "one"}}

texts = st.text(max_size=20) | st.sampled_from(
    [
        "",
        "\n",
        "\n\na",
        "a\r\nb\rc\n",
        "\x00\x85\ufeff",
        " a ",
        "-0",
        "</textarea>",
        "é𝄞ß",
        '"\\&lt;',
    ]
)
digits = st.integers(-(10**38) + 1, 10**38 - 1).map(lambda n: Decimal(n).scaleb(0))
numbers = st.one_of(
    digits.map(lambda n: format(n, "f")),
    st.integers(-(10**20), 10**20).map(lambda n: format(Decimal(n) / Decimal(1000), "f")),
    st.sampled_from(["0", "-1", "0.00000000000000000000000000000000000001"]),
).map(lambda text: text.rstrip("0").rstrip(".") if "." in text else text)
blobs = st.binary(max_size=12).map(lambda raw: b64encode(raw).decode())
LEAVES = {
    "S": texts,
    "N": numbers,
    "B": blobs,
    "BOOL": st.booleans(),
    "NULL": st.just(True),
    "SS": st.lists(texts, min_size=1, max_size=3, unique=True).map(sorted),
    "NS": st.lists(numbers, min_size=1, max_size=3, unique=True).map(
        lambda some: sorted(some, key=Decimal)
    ),
    "BS": st.lists(blobs, min_size=1, max_size=3, unique=True).map(
        lambda members: in_order("BS", members)
    ),
}


def of_kind(kind: str) -> st.SearchStrategy[Any]:
    """Values of one type; lists and maps hold all the others."""
    if kind in LEAVES:
        return LEAVES[kind].map(lambda content: {kind: content})
    inner = st.sampled_from(list(LEAVES)).flatmap(of_kind)
    deep = inner | st.lists(inner, max_size=2).map(lambda some: {"L": some})
    if kind == "L":
        return st.lists(deep, max_size=3).map(lambda some: {"L": some})
    return st.dictionaries(texts.filter(bool), deep, max_size=3).map(lambda some: {"M": some})


values = st.sampled_from([*LEAVES, "L", "M"]).flatmap(of_kind)
KINDS = {"s": "S", "n": "N", "b": "B", "flag": "BOOL", "ss": "SS", "ns": "NS", "bs": "BS"}
KINDS |= {"l": "L", "m": "M"}
things = st.fixed_dictionaries({}, optional={name: of_kind(kind) for name, kind in KINDS.items()})
tried = settings(max_examples=50)


class Fields(HTMLParser):
    """The fields of a page's form, as a browser has them."""

    def __init__(self, text: str) -> None:
        super().__init__(convert_charrefs=True)
        self.values: dict[str, str] = {}
        self._name: str | None = None
        self._text = ""
        self.feed(re.sub("\r\n|\r", "\n", text).replace("\x00", "\ufffd"))

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        attributes = {name: value or "" for name, value in attrs}
        if tag == "input":
            self.values[attributes.get("name", "")] = attributes.get("value", "")
        elif tag in ("textarea", "select"):
            self._name, self._text = attributes.get("name", ""), ""
            self.values[self._name] = ""
        elif tag == "option" and self._name and "selected" in attributes:
            self.values[self._name] = attributes["value"]

    def handle_data(self, data: str) -> None:
        self._text += data

    def handle_endtag(self, tag: str) -> None:
        if tag == "textarea" and self._name:
            self.values[self._name] = self._text.removeprefix("\n")

    @property
    def sent(self) -> dict[str, str]:
        return {name: text.replace("\n", "\r\n") for name, text in self.values.items() if name}


@pytest.fixture(scope="module")
def visitor() -> Iterator[Visitor]:
    with opened(DESIGN) as visitor:
        yield visitor


def call(visitor: Visitor, operation: str, request: dict[str, Any]) -> Any:
    return visitor.server.loop.run(
        visitor.server.services.store.call(operation, {"TableName": "Kept", **request})
    )


def stored(visitor: Visitor, key: dict[str, Any]) -> Any:
    return call(visitor, "GetItem", {"Key": key}).get("Item")


def page_fields(visitor: Visitor, key: dict[str, Any], tab: str) -> tuple[str, dict[str, str]]:
    path = f"/kept/items/Kept/{address_of(key)}/edit"
    text = visitor.get(f"{path}?tab={tab}").text
    return path, Fields(text).sent


def commit(visitor: Visitor, path: str, form: dict[str, str]) -> None:
    answer = visitor.post(f"{path}.json", {**form, "stage": "yes"})
    assert answer.status_code == 303, answer.json()["view"]["error"]
    done = visitor.post("/kept/stage.json", {"do": "commit"}).json()["view"]
    assert done["written"] == 1, (done["error"], done["conflicts"], done["items"])


def require_untouched(visitor: Visitor, path: str, form: dict[str, str], item: Any) -> None:
    view = visitor.post(f"{path}.json", {**form, "stage": "yes", "commit": "yes"}).json()["view"]
    assert view["error"] == "No changes."
    assert visitor.json("/kept/stage.json")["items"] == []
    key = {name: item[name] for name in ("PK", "SK")}
    assert stored(visitor, key) == item


@tried
@given(item=st.dictionaries(st.text(min_size=1, max_size=8), values, max_size=6), new=values)
def test_an_item_of_no_entity_keeps_everything_as_typed_json(
    visitor: Visitor, item: dict[str, Any], new: Any
) -> None:
    call(visitor, "PutItem", {"Item": {**item, **ODD_KEY}})
    whole = stored(visitor, ODD_KEY)
    path, form = page_fields(visitor, ODD_KEY, "json")
    assert json.loads(form["typed"]) == whole
    require_untouched(visitor, path, form, whole)
    changed = {**whole, "changed": new}
    if changed == whole:
        return
    commit(visitor, path, {**form, "typed": json.dumps(changed)})
    assert stored(visitor, ODD_KEY) == changed


@tried
@given(item=things)
def test_a_form_that_is_sent_back_unchanged_writes_nothing(
    visitor: Visitor, item: dict[str, Any]
) -> None:
    whole = {**KEY, "entityType": {"S": "THING"}, "id": {"S": "a"}, **item}
    call(visitor, "PutItem", {"Item": whole})
    whole = stored(visitor, KEY)
    for tab in ("form", "json"):
        path, form = page_fields(visitor, KEY, tab)
        assert form["tab"] == tab
        require_untouched(visitor, path, form, whole)


@tried
@given(item=things, text=texts.filter(bool), number=numbers)
def test_a_field_that_is_changed_changes_nothing_else(
    visitor: Visitor, item: dict[str, Any], text: str, number: str
) -> None:
    text = re.sub("[\x00-\x1f\x7f-\x9f]", "", text) or "x"
    whole = {**KEY, "entityType": {"S": "THING"}, "id": {"S": "a"}, **item}
    whole.pop("s", None)
    call(visitor, "PutItem", {"Item": whole})
    whole = stored(visitor, KEY)
    path, form = page_fields(visitor, KEY, "form")
    assert form["s.s"] == ""
    commit(visitor, path, {**form, "s.s": text, "n.n": number})
    assert stored(visitor, KEY) == {**whole, "s": {"S": text}, "n": {"N": number}}


@tried
@given(item=things, other=things)
def test_typed_json_of_an_entity_becomes_exactly_what_was_typed(
    visitor: Visitor, item: dict[str, Any], other: dict[str, Any]
) -> None:
    base = {**KEY, "entityType": {"S": "THING"}, "id": {"S": "a"}}
    call(visitor, "PutItem", {"Item": {**base, **item}})
    path, form = page_fields(visitor, KEY, "json")
    new = {**base, **other}
    if new == stored(visitor, KEY):
        return
    commit(visitor, path, {**form, "typed": json.dumps(new)})
    after = stored(visitor, KEY)
    assert after.keys() == new.keys()
    assert all(equal(after[name], new[name]) for name in new)
