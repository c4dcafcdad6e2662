"""Fixes in the studio: the diff, when it is written and when not, and files that change."""

from __future__ import annotations

import os
import stat
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tablewright.cli.design_loader import load_design
from tablewright.studio.lint import lint_fix as fixing
from tablewright.studio.lint.lint_fix import FixTarget, fix_view, has_fix
from tablewright.studio.shell import design_reload as reloading
from tablewright.studio.shell.design_reload import (
    DesignNotLoaded,
    is_changed,
    is_own,
    reloaded,
    trial,
)
from tablewright.studio.shell.loaded_design import LoadedDesign
from tests.studio.studios import Visitor, opened, roll_model

DESIGN = '''"""Matches of squash clubs."""

from __future__ import annotations

from datetime import date

from tablewright import Get, Index, Model, Design, Query, Range, Table, pattern, served

T = Table("League", "PK", "SK", indexes=[Index("byDay", "GSI1PK", "GSI1SK")])


@T.entity("MATCH#{matchId}", "META", byDay=("CLUB#{club}#DAY#{day}", "MATCH#{matchId}"))
class Match(Model):
    """One match. <b>é</b>"""

    match_id: str
    club: str
    day: date
    winner: str


class League(Design, tables=[T]):
    @pattern()
    def get_match(self, match_id: str) -> Get[Match]:
        """One match."""
        return served()

    @pattern(index="byDay")
    def matches_between(self, club: str, day: Range[date]) -> Query[Match]:
        """The matches of a club from one day to another."""
        return served()
'''
MENDED = DESIGN.replace('#DAY#{day}", "MATCH', '", "DAY#{day}#MATCH')
LINE = DESIGN[: DESIGN.index('@pattern(index="byDay")')].count("\n") + 1
MEANT = FixTarget("TW202", "matches_between", LINE)
FIX = f"/league/lint/TW202/fix.json?subject=matches_between&line={LINE}"


def subject_of(file: Path) -> LoadedDesign:
    loaded = load_design(str(file), deferred=True)
    design = LoadedDesign("league", loaded.patterns, loaded.tables, loaded.module)
    assert design.digest
    return design


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "league.py"
    path.write_text(DESIGN, "utf-8")
    path.chmod(0o640)
    return path


@pytest.fixture
def visitor(file: Path) -> Iterator[Visitor]:
    with opened(subject_of(file)) as visitor:
        yield visitor


def apply(visitor: Visitor, **fields: str) -> Any:
    view = visitor.json(FIX)
    form = {"subject": view["subject"], "line": str(view["line"]), "digest": view["digest"]}
    return visitor.post("/league/lint/TW202/fix", {**form, **fields})


def test_the_fix_of_a_range_over_a_partition_key_is_a_diff_that_was_tried(file: Path) -> None:
    subject = subject_of(file)
    assert [has_fix(subject, finding) for finding in subject.report.findings] == [True]
    view = fix_view(subject, MEANT, may_write=True)
    assert view.mend == "Sort byDay by day, with the partition key CLUB#{club}."
    assert view.reason == ""
    assert [line for kind, line in view.diff if kind in ("add", "drop")] == [
        '-@T.entity("MATCH#{matchId}", "META", byDay=("CLUB#{club}#DAY#{day}", "MATCH#{matchId}"))',
        '+@T.entity("MATCH#{matchId}", "META", byDay=("CLUB#{club}", "DAY#{day}#MATCH#{matchId}"))',
    ]
    assert file.read_text("utf-8") == DESIGN


def test_a_fix_is_applied_the_design_loaded_again_and_the_pattern_runs(
    visitor: Visitor, file: Path
) -> None:
    assert visitor.json("/league/lint.json")["errors"] == 1
    answer = apply(visitor)
    assert answer.headers["location"] == "/studio/league/lint?done=fixed"
    assert file.read_text("utf-8") == MENDED
    assert stat.S_IMODE(file.stat().st_mode) == 0o640
    assert [each.name for each in file.parent.iterdir() if each.is_file()] == ["league.py"]
    view = visitor.json("/league/lint.json?done=fixed")
    assert view["findings"] == []
    assert view["can_refill"]
    assert visitor.post("/league/samples", {}).status_code == 303
    [collection, *_] = visitor.json("/league/collections.json?index=byDay")["collections"]
    club = collection["rows"][0]["partition"][1]["text"]
    path = "/league/patterns/matches_between.json"
    view = visitor.json(f"{path}?club={club}&day.low=2026-01-01&day.high=2026-12-31&run=1")
    assert view["result"]["rows"], view["error"]


def test_a_file_that_changed_since_the_diff_is_not_overwritten(
    visitor: Visitor, file: Path
) -> None:
    view = visitor.json(FIX)
    file.write_text(DESIGN + "# mine\n", "utf-8")
    form = {"subject": view["subject"], "line": str(view["line"]), "digest": view["digest"]}
    answer = visitor.post("/league/lint/TW202/fix", form)
    assert answer.status_code == 409
    assert "Reload it first" in answer.text
    assert file.read_text("utf-8") == DESIGN + "# mine\n"
    assert "Reload it first" in visitor.json(FIX)["reason"]
    assert not visitor.json("/league/lint.json")["findings"][0]["has_fix"]


def test_a_fix_with_the_digest_of_another_file_is_refused(visitor: Visitor, file: Path) -> None:
    assert apply(visitor, digest="0" * 64).status_code == 409
    assert apply(visitor, line="3").status_code == 404
    assert apply(visitor, line="²").status_code == 404
    assert file.read_text("utf-8") == DESIGN


def test_a_write_that_fails_leaves_the_file_and_no_other(
    file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    subject = subject_of(file)
    digest = fix_view(subject, MEANT, may_write=True).digest

    def failing(*_: object) -> None:
        raise OSError("disk full")

    monkeypatch.setattr(os, "fsync", failing)
    with pytest.raises(OSError, match="disk full"):
        fixing.apply_fix(subject, MEANT, digest, may_write=True)
    assert file.read_text("utf-8") == DESIGN
    assert [each.name for each in file.parent.iterdir() if each.is_file()] == ["league.py"]


def test_a_packaged_design_shows_the_diff_and_why_it_is_not_applied(
    file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    subject = subject_of(file)
    monkeypatch.setattr(reloading, "_PACKAGE", file.parent)
    view = fix_view(subject, MEANT, may_write=True)
    assert view.diff
    assert "part of an installed package" in view.reason
    with pytest.raises(fixing.FixRefused, match="part of an installed package"):
        fixing.apply_fix(subject, MEANT, view.digest, may_write=True)
    assert file.read_text("utf-8") == DESIGN


def test_the_designs_of_systems_are_never_somebody_s_own_nor_loaded_again() -> None:
    assert not is_own(roll_model())
    with opened(roll_model()) as visitor:
        assert visitor.post("/roll-model/reload", {}).status_code == 403
        assert visitor.post("/roll-model/samples", {}).status_code == 403
        assert visitor.get("/roll-model/lint/TW202/fix").status_code == 404


def test_a_read_only_studio_shows_the_diff_and_writes_nothing(file: Path) -> None:
    subject = subject_of(file)
    view = fix_view(subject, MEANT, may_write=False)
    assert view.diff
    assert "--write" in view.reason
    with pytest.raises(fixing.FixRefused, match="--write"):
        fixing.apply_fix(subject, MEANT, view.digest, may_write=False)


def test_a_file_that_changes_is_noticed_and_loaded_again(visitor: Visitor, file: Path) -> None:
    assert not visitor.json("/league/lint.json")["is_changed"]
    file.write_text(MENDED.replace("get_match", "one_match"), "utf-8")
    assert visitor.json("/league/lint.json")["is_changed"]
    assert "has changed on disk" in visitor.get("/league/lint").text
    assert visitor.post("/league/reload", {}).status_code == 303
    assert not visitor.json("/league/lint.json")["is_changed"]
    assert visitor.get("/league/patterns/one_match").status_code == 200
    assert visitor.get("/league/patterns/get_match").status_code == 404


@pytest.mark.parametrize(
    ("text", "line", "kind", "column"),
    [
        ("x = 1\ny = (<b>\n", 2, "SyntaxError", 6),
        ("x = 1\n\nraise RuntimeError('<i>no</i>')\n", 3, "RuntimeError", 0),
        ("x = 1\n", 0, "LookupError", 0),
    ],
)
def test_a_file_that_is_no_design_any_more_is_told_with_its_line(
    visitor: Visitor, file: Path, text: str, line: int, kind: str, column: int
) -> None:
    file.write_text(text, "utf-8")
    answer = visitor.post("/league/reload", {})
    assert answer.status_code == 200
    assert kind in answer.text
    assert "<b>" not in answer.text.partition("<main")[2].replace("<b>League", "")
    assert "<i>no" not in answer.text
    if line:
        assert f"league.py:{line}" in answer.text
    if column:
        assert f"</i>{' ' * (column - 1)}^" in answer.text
    # What was loaded before goes on.
    assert visitor.json("/league/lint.json")["errors"] == 1
    file.write_text(DESIGN, "utf-8")
    assert visitor.post("/league/reload", {}).status_code == 303


def test_a_design_is_loaded_again_under_a_fresh_name(file: Path) -> None:
    first = subject_of(file)
    file.write_text(MENDED, "utf-8")
    assert is_changed(first)
    second = reloaded(first)
    third = reloaded(second)
    assert len({design.module.__name__ for design in (first, second, third)}) == 3
    assert second.module.__name__ not in sys.modules
    assert not is_changed(third)
    assert third.entities["Match"].model is not first.entities["Match"].model
    assert third.report.findings == ()


def test_a_trial_leaves_nothing_behind(file: Path) -> None:
    subject = subject_of(file)
    before = set(sys.modules), list(sys.path)
    with trial(subject, MENDED.encode()) as trial_design:
        assert trial_design.report.findings == ()
    with pytest.raises(DesignNotLoaded), trial(subject, b"raise ValueError"):
        pass
    assert (set(sys.modules), list(sys.path)) == before


def test_what_is_staged_outlives_a_reload_of_the_design(visitor: Visitor, file: Path) -> None:
    [collection, *_] = visitor.json("/league/collections.json")["collections"]
    path = f"/league/items/League/{collection['rows'][0]['address']}/edit.json"
    form = {"old": visitor.json(path)["old"], "s.winner": "another caller", "stage": "yes"}
    assert visitor.post(path, form).status_code == 303
    file.write_text(DESIGN + "# later\n", "utf-8")
    assert visitor.post("/league/reload", {}).status_code == 303
    assert len(visitor.json("/league/stage.json")["items"]) == 1
    done = visitor.post("/league/stage.json", {"do": "commit"}).json()["view"]
    assert done["written"] == 1


def test_a_design_that_exits_is_told_as_a_wrong_one(visitor: Visitor, file: Path) -> None:
    file.write_text(DESIGN + "\nraise SystemExit(3)\n", "utf-8")
    answer = visitor.post("/league/reload", {})
    assert answer.status_code == 200
    assert "SystemExit" in answer.text


def test_a_file_that_is_gone_is_noticed_and_told(visitor: Visitor, file: Path) -> None:
    file.unlink()
    assert "has changed on disk" in visitor.get("/league/map").text
    answer = visitor.post("/league/reload", {})
    assert answer.status_code == 200
    assert "cannot be read" in answer.text
    assert "cannot be read" in visitor.get(FIX).text


def test_a_line_of_many_digits_is_no_line(visitor: Visitor) -> None:
    path = f"/league/lint/TW202/fix?subject=matches_between&line={'9' * 5000}"
    assert visitor.get(path).status_code == 404
