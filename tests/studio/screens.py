"""Every screen of the studio, of a server with demo data: what pictures and checks go through.

`screens_of` finds out what there is to see of one design, so that nothing here knows its keys;
`Screen.open` shows one in a tab.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

from tablewright.systems.registry import PACKAGES

from .browsing import Tab

__all__ = [
    "SYSTEMS",
    "Screen",
    "screens_of",
    "use_the_system",
]

SYSTEMS = tuple(PACKAGES)
COLLECTIONS = 4  # Whose patterns are run so that there is heat to see.


@dataclass(frozen=True)
class Screen:
    """A screen: its name, its address below the studio, and what is done once it is there."""

    name: str
    path: str
    act: Callable[[Tab], None] | None = None

    def open(self, tab: Tab) -> None:
        tab.goto(self.path)
        if self.act is not None:
            self.act(tab)


# What there is to see.


def view_of(tab: Tab, path: str) -> Any:
    """The view of a page, from its twin."""
    answer = tab.request.get(path)
    assert answer.ok, f"{path}: {answer.status}"
    return answer.json()["view"]


def use_the_system(tab: Tab, system: str) -> None:
    """Give the pages of use something to show: open capacity, then run what reads collections."""
    tab.request.get(f"./{system}/capacity?view=heat")
    for path in readers_of(tab, system):
        tab.request.get(path)


def readers_of(tab: Tab, system: str) -> list[str]:
    """Addresses of patterns that read the first collections, with their arguments, lists first."""
    all_of_them = view_of(tab, f"./{system}/collections.json")
    arguments_by_name: dict[str, str] = {}
    for collection in all_of_them["collections"][:COLLECTIONS]:
        query = urlencode({"table": all_of_them["table"], "partition": collection["key"]})
        for alone in view_of(tab, f"./{system}/collections.json?{query}")["collections"]:
            for reader in alone["readers"]:
                arguments = urlencode({**dict(reader["arguments"]), "run": "1"})
                arguments_by_name.setdefault(reader["name"], arguments)
    names = sorted(arguments_by_name, key=lambda name: not name.startswith("list"))
    return [f"./{system}/patterns/{name}?{arguments_by_name[name]}" for name in names]


def screens_of(tab: Tab, system: str) -> Iterator[Screen]:
    """The screens of one design, and those of the frame."""
    here = f"./{system}"
    yield Screen("start", f"{here}/")
    for form in ("map", "chart", "patterns", "markdown"):
        name = "map" if form == "map" else f"map-{form}"
        yield Screen(name, f"{here}/map?view={form}")
    yield from _collections(tab, system)
    yield from _patterns(tab, system)
    yield Screen("lint", f"{here}/lint")
    yield Screen("rule", f"{here}/lint/TW101")
    yield Screen("capacity", f"{here}/capacity")
    yield Screen("capacity-internet", f"{here}/capacity?calls=10G")
    yield Screen("capacity-wrong", f"{here}/capacity?calls=many")
    for part in ("partitions", "heat", "limits"):
        yield Screen(f"capacity-{part}", f"{here}/capacity?view={part}")
    yield Screen("stream", f"{here}/stream", _live)
    yield Screen("stream-change", f"{here}/stream?op=insert", _open_a_change)
    yield from _system(here)
    yield Screen("palette", f"{here}/", _open_palette)
    yield Screen("keys", f"{here}/", _open_keys)
    yield Screen("find", f"{here}/find?q=list")
    yield Screen("find-nothing", f"{here}/find?q=zzz")
    yield Screen("saved", f"{here}/saved")
    yield Screen("missing", f"{here}/nowhere")
    yield from _editing(tab, here)  # Last: every page then tells that something is staged.


def _collections(tab: Tab, system: str) -> Iterator[Screen]:
    here = f"./{system}"
    view = view_of(tab, f"{here}/collections.json")
    yield Screen("collections", f"{here}/collections")
    for place in [place for place in view["places"] if place["index"]][:1]:
        query = urlencode({"table": place["table"], "index": place["index"]})
        yield Screen("collections-index", f"{here}/collections?{query}")
    collection = max(view["collections"], key=lambda each: len(each["chips"]))
    query = urlencode({"table": view["table"], "partition": collection["key"]})
    yield Screen("collection", f"{here}/collections?{query}")
    yield Screen("collection-none", f"{here}/collections?pk=nobody")
    item, _ = _item(tab, here, view)
    yield Screen("item", item)
    yield Screen("item-history", f"{item}?tab=history")
    versions = view_of(tab, f"{item}.json?tab=history")["versions"]
    if versions and versions[0]["moment"]:
        query_string = urlencode({"as_of": versions[0]["moment"]})
        yield Screen("travel-collections", f"{here}/collections?{query_string}")
        yield Screen("travel-item", f"{item}?{query_string}")


def _editing(tab: Tab, here: str) -> Iterator[Screen]:
    item, entity = _item(tab, here, view_of(tab, f"{here}/collections.json"))
    yield Screen("edit", f"{item}/edit")
    yield Screen("edit-json", f"{item}/edit?tab=json", _preview)
    yield Screen("create", f"{here}/create/{entity}")
    yield Screen("stage-empty", f"{here}/stage")
    yield Screen("stage", f"{here}/create/{entity}", lambda each: _stage(each, item))


def _item(tab: Tab, here: str, view: Mapping[str, Any]) -> tuple[str, str]:
    """The address of an item that a person edits, of the most colourful collection; its entity."""
    rows = max(view["collections"], key=lambda each: len(each["chips"]))["rows"]
    items = [(f"{here}/items/{r['table']}/{r['address']}", r["chip"]["name"]) for r in rows]
    sources = (item for item in items if not view_of(tab, f"{item[0]}.json")["sources"])
    return next(sources, items[0])


def _patterns(tab: Tab, system: str) -> Iterator[Screen]:
    here = f"./{system}"
    yield Screen("patterns", f"{here}/patterns")
    path = readers_of(tab, system)[0]
    bare = path.partition("?")[0]
    yield Screen("pattern", bare)
    yield Screen("pattern-run", path)
    yield Screen("pattern-wrong", f"{bare}?run=1")
    write = next(
        write["name"]
        for write in view_of(tab, f"{here}/patterns.json")["writes"]
        if "." in write["name"]
    )
    yield Screen("write", f"{here}/writes/{write}")
    yield Screen("write-preview", f"{here}/writes/{write}", _preview)


def _system(here: str) -> Iterator[Screen]:
    yield Screen("system", f"{here}/system")
    yield Screen("system-why", f"{here}/system", _ask_why)
    yield Screen("openapi", f"{here}/openapi")
    yield Screen("openapi-one", f"{here}/openapi", _open_an_operation)
    yield Screen("act", f"{here}/system/act")
    yield Screen("act-sent", f"{here}/system/act", _send)


# What is done on a screen.


def _preview(tab: Tab) -> None:
    tab.get_by_role("button", name="Preview").click()
    tab.wait_for_load_state()


def _stage(tab: Tab, item: str) -> None:
    """One item to be made, one to be removed."""
    tab.get_by_role("button", name="Add to the stage").click()
    tab.wait_for_url(re.compile("/stage$"))
    tab.goto(f"{item}/edit")
    tab.get_by_role("button", name="Stage its deletion").click()
    tab.wait_for_url(re.compile("/stage$"))


def _live(tab: Tab) -> None:
    tab.locator(".live.live").wait_for()


def _open_a_change(tab: Tab) -> None:
    tab.locator(".change summary").first.click()


def _ask_why(tab: Tab) -> None:
    tab.locator(".cell.no").first.click()
    tab.locator(".because").wait_for()


def _open_an_operation(tab: Tab) -> None:
    tab.locator(".operation summary").first.click()


def _send(tab: Tab) -> None:
    tab.get_by_role("button", name="Send").click()
    tab.locator("#outcome .verdict").wait_for()


def _open_palette(tab: Tab) -> None:
    tab.locator("[data-palette]").click()
    tab.locator(".palette input").fill("list")
    tab.locator(".palette li", has_text="pattern").first.wait_for()


def _open_keys(tab: Tab) -> None:
    tab.keyboard.press("?")
    tab.locator("#help").wait_for()
