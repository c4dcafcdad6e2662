"""Saved queries: files that are exact, never outside their folder, never lost by surprise."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tablewright.studio.patterns.saved_queries import (
    NameTaken,
    NotSaved,
    save_query,
    saved_queries,
    saved_text,
)
from tablewright.studio.shell.gate import Sessions
from tablewright.studio.shell.loaded_design import LoadedDesign
from tablewright.studio.shell.mount import studio_system, system_designs
from tablewright.web.services.services import Services
from tests.studio.studios import Visitor, opened, roll_model
from tests.web.serving import served

QUERY = ("list_own_entries", {"athlete_id": "ann", "limit": "20"})


@cache
def design() -> LoadedDesign:
    return roll_model()


@pytest.fixture
def visitor(tmp_path: Path) -> Iterator[Visitor]:
    sessions = Sessions()
    studio = studio_system(lambda: [design()], sessions, folder=tmp_path)

    async def fill(services: Services) -> None:
        await services.store.ensure_tables(design().tables)

    with served(studio, fill=fill) as server:
        yield Visitor(server, sessions)


def test_a_query_is_a_file_that_people_can_read(tmp_path: Path) -> None:
    file = save_query(tmp_path, design(), "of-ann", QUERY)
    assert file == tmp_path / ".tablewright/queries/of-ann.toml"
    assert file.read_text("utf-8") == (
        'design = "roll-model"\npattern = "list_own_entries"\n\n'
        '[arguments]\n"athlete_id" = "ann"\n"limit" = "20"\n'
    )
    [query] = saved_queries(tmp_path, design())
    assert (query.name, query.pattern, dict(query.arguments)) == ("of-ann", *QUERY)
    assert query.path == "/patterns/list_own_entries?athlete_id=ann&limit=20&run=1"


texts = st.text(st.characters(codec="utf-8"))


@given(st.dictionaries(texts, texts), texts)
def test_what_is_written_is_what_is_read(arguments: dict[str, str], design: str) -> None:
    document = tomllib.loads(saved_text(design, "p", arguments))
    assert document == {"design": design, "pattern": "p", "arguments": arguments}


@pytest.mark.parametrize(
    "name",
    [
        "",
        "..",
        "../out",
        "a/b",
        "a\\b",
        "A",
        "a b",
        "a.toml",
        "-a",
        "a-",
        "é",
        "a\n",
        "x" * 65,
        ".",
    ],
)
def test_a_name_that_is_none_writes_nothing(tmp_path: Path, name: str) -> None:
    with pytest.raises(NotSaved, match="lower-case"):
        save_query(tmp_path, design(), name, QUERY)
    assert list(tmp_path.iterdir()) == []


def test_a_query_is_replaced_only_when_that_is_said(tmp_path: Path) -> None:
    file = save_query(tmp_path, design(), "a", QUERY)
    other = ("get_link", {"athlete_id": "ben"})
    with pytest.raises(NameTaken):
        save_query(tmp_path, design(), "a", other)
    assert "list_own_entries" in file.read_text("utf-8")
    save_query(tmp_path, design(), "a", other, replaces=True)
    assert "get_link" in file.read_text("utf-8")
    assert [path.name for path in file.parent.iterdir()] == ["a.toml"]


def test_a_link_to_somewhere_else_is_not_written_through(tmp_path: Path) -> None:
    outside = tmp_path / "outside.txt"
    outside.write_text("mine", "utf-8")
    queries = tmp_path / ".tablewright/queries"
    queries.mkdir(parents=True)
    (queries / "a.toml").symlink_to(outside)
    with pytest.raises(NameTaken):
        save_query(tmp_path, design(), "a", QUERY)
    save_query(tmp_path, design(), "a", QUERY, replaces=True)
    assert outside.read_text("utf-8") == "mine"


def test_a_pattern_that_is_not_there_and_too_much_are_refused(tmp_path: Path) -> None:
    with pytest.raises(NotSaved, match="no pattern nothing"):
        save_query(tmp_path, design(), "a", ("nothing", {}))
    with pytest.raises(NotSaved, match="too large"):
        save_query(tmp_path, design(), "a", ("get_link", {"x": "y" * 70_000}))
    assert list(tmp_path.iterdir()) == []


def test_a_folder_that_cannot_be_made_is_told(tmp_path: Path) -> None:
    (tmp_path / ".tablewright").write_text("a file", "utf-8")
    with pytest.raises(NotSaved, match=r"a\.toml: "):
        save_query(tmp_path, design(), "a", QUERY)


@pytest.mark.parametrize(
    ("content", "error"),
    [
        (b"=", "Invalid TOML"),
        (b"\xff", "Invalid TOML"),
        (b"", "The file needs a design and a pattern."),
        (b'design = "roll-model"\npattern = 3', "The file needs a design and a pattern."),
        (b'design = "roll-model"\npattern = "gone"', "This design has no pattern gone."),
        (
            b'design = "roll-model"\npattern = "get_link"\n[arguments]\na = 1',
            "The arguments must be strings.",
        ),
        (b"#" * 70_000, "The file is too large."),
    ],
)
def test_a_broken_file_is_shown_with_what_is_wrong(
    tmp_path: Path, content: bytes, error: str
) -> None:
    queries = tmp_path / ".tablewright/queries"
    queries.mkdir(parents=True)
    (queries / "broken.toml").write_bytes(content)
    [query] = saved_queries(tmp_path, design())
    assert query.name == "broken"
    assert query.error.startswith(error)
    assert not query.path


def test_each_design_has_its_own(tmp_path: Path) -> None:
    save_query(tmp_path, design(), "a", QUERY)
    stayon = system_designs(["stayon"])[0]
    assert saved_queries(tmp_path, stayon) == []
    assert saved_queries(None, design()) == []


# Over HTTP.


def test_a_query_is_saved_listed_and_run(visitor: Visitor, tmp_path: Path) -> None:
    form = visitor.get("/roll-model/saved?pattern=list_own_entries&athlete_id=ann").text
    assert 'value="list-own-entries"' in form
    query = {"name": "of-ann", "pattern": "list_own_entries", "athlete_id": "ann", "limit": "5"}
    answer = visitor.post("/roll-model/saved", query)
    assert (answer.status_code, answer.headers["location"]) == (303, "/studio/roll-model/saved")
    assert (tmp_path / ".tablewright/queries/of-ann.toml").is_file()
    [saved] = visitor.json("/roll-model/saved.json")["queries"]
    run = visitor.json(f"/roll-model{saved['path'].replace('?', '.json?')}")
    assert run["limit"] == 5


def test_a_taken_name_is_told_and_can_be_replaced(visitor: Visitor, tmp_path: Path) -> None:
    query = {"name": "a", "pattern": "list_own_entries", "athlete_id": "ann"}
    visitor.post("/roll-model/saved", query)
    changed = query | {"athlete_id": "ben"}
    text = visitor.post("/roll-model/saved", changed).text
    assert "There is a query a." in text
    assert "Replace it" in text
    file = tmp_path / ".tablewright/queries/a.toml"
    assert "ann" in file.read_text("utf-8")
    assert visitor.post("/roll-model/saved", changed | {"replace": "yes"}).status_code == 303
    assert "ben" in file.read_text("utf-8")


def test_a_name_that_leads_out_of_the_folder_is_refused(visitor: Visitor, tmp_path: Path) -> None:
    query = {"name": "../../out", "pattern": "list_own_entries"}
    assert "lower-case letters" in visitor.post("/roll-model/saved", query).text
    assert list(tmp_path.iterdir()) == []


def test_pages_of_others_save_nothing(visitor: Visitor, tmp_path: Path) -> None:
    query = {"name": "a", "pattern": "list_own_entries"}
    answer = visitor.post("/roll-model/saved", query, origin="https://evil.example")
    assert answer.status_code == 403
    assert list(tmp_path.iterdir()) == []


def test_a_studio_without_a_folder_offers_nothing() -> None:
    with opened(design()) as visitor:
        assert "no folder for queries" in visitor.get("/roll-model/saved").text
        query = {"name": "a", "pattern": "list_own_entries"}
        assert visitor.post("/roll-model/saved", query).status_code == 403
