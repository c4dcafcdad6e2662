"""The palette: what a few letters find, and keys that are typed whole."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from pathlib import Path
from urllib.parse import quote

import pytest

from tablewright.studio.patterns.saved_queries import save_query
from tablewright.studio.shell.loaded_design import LoadedDesign
from tablewright.studio.shell.mount import system_designs
from tablewright.studio.shell.palette import HITS_MAX, Hit, palette_view
from tablewright.studio.system.system_documents import SystemDocument, SystemDocuments
from tests.studio.studios import Visitor, opened, roll_model


@cache
def document() -> SystemDocument:
    return SystemDocuments(None).of("roll-model")  # type: ignore[arg-type]


@cache
def design() -> LoadedDesign:
    return roll_model()


def hits_for(text: str, folder: Path | None = None) -> list[Hit]:
    return list(palette_view(design(), document(), folder, text).hits)


@pytest.fixture(scope="module")
def visitor() -> Iterator[Visitor]:
    with opened(*system_designs(["roll-model", "stayon"])) as visitor:
        yield visitor


def test_without_letters_it_offers_the_pages() -> None:
    hits = hits_for("")
    assert {hit.kind for hit in hits} == {"page"}
    assert hits[0] == Hit("page", "Start", "g s", "/roll-model/")


@pytest.mark.parametrize(
    ("text", "kind", "label", "path"),
    [
        ("map", "page", "Map", "/roll-model/map"),
        ("coachl", "entity", "CoachLink", "/roll-model/map?focus=entity%3ACoachLink"),
        ("list_own", "pattern", "list_own_entries", "/roll-model/patterns/list_own_entries"),
        ("create.entry", "write", "create.Entry", "/roll-model/writes/create.Entry"),
        ("tw101", "rule", "TW101", "/roll-model/lint/TW101"),
        ("get /export", "endpoint", "GET /export", "/roll-model/openapi#get-export"),
    ],
)
def test_a_few_letters_find_it_first(text: str, kind: str, label: str, path: str) -> None:
    first = hits_for(text)[0]
    assert (first.kind, first.label, first.path) == (kind, label, path)


def test_what_begins_so_comes_before_what_only_has_it() -> None:
    labels = [hit.label for hit in hits_for("comment")]
    assert labels[0] == "Comment"
    assert labels.index("CommentMeta") < labels.index("get_comment")


def test_words_of_the_summary_find_an_endpoint() -> None:
    assert "GET /export" in [hit.label for hit in hits_for("everything own")]


@pytest.mark.parametrize("key", ["USER#ann", "ENTRY#00000000-0000-4000-8000-000000000000"])
def test_a_key_leads_to_its_collection(key: str) -> None:
    first = hits_for(key)[0]
    assert first.kind == "key"
    assert first.path == f"/roll-model/collections?table=RollModel&pk={quote(key)}"


@pytest.mark.parametrize("text", ["user#ann", "USER#", "nothing at all", "x" * 5000, "%", "'"])
def test_what_is_no_key_is_not_taken_for_one(text: str) -> None:
    assert "key" not in {hit.kind for hit in hits_for(text)}


def test_no_more_than_a_screen_is_told_and_how_many_there_are() -> None:
    view = palette_view(design(), document(), None, "e")
    assert len(view.hits) == HITS_MAX < view.total


def test_saved_queries_are_found_and_broken_ones_are_not(tmp_path: Path) -> None:
    save_query(tmp_path, design(), "my-sweeps", ("list_own_entries", {"athlete_id": "ann"}))
    (tmp_path / ".tablewright/queries/my-broken.toml").write_text("=", "utf-8")
    hits = [hit for hit in hits_for("my-", tmp_path) if hit.kind == "saved"]
    assert [(hit.label, hit.path) for hit in hits] == [
        ("my-sweeps", "/roll-model/patterns/list_own_entries?athlete_id=ann&run=1")
    ]


def test_every_hit_leads_somewhere(visitor: Visitor) -> None:
    for name, words in {
        "roll-model": ("", "e", "get", "USER#abc", "tw"),
        "stayon": ("page",),
    }.items():
        for word in words:
            for hit in visitor.json(f"/{name}/find.json?q={quote(word)}")["hits"]:
                path = hit["path"].partition("#")[0]
                if not path.endswith(("/capacity", "/stream")):
                    assert visitor.get(path).status_code == 200, hit


def test_it_works_as_a_page_and_asks_the_store_nothing(visitor: Visitor) -> None:
    text = visitor.get("/roll-model/find?q=USER%23abc").text
    assert 'href="/studio/roll-model/collections?table=RollModel&amp;pk=USER%23abc"' in text
    assert visitor.get("/roll-model/find.json?q=USER%23abc").json()["requests"] == []
    assert "No results" in visitor.get("/roll-model/find?q=zzzz").text
