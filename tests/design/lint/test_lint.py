"""What can be linted, in what order findings come, and how a report is written down."""

from __future__ import annotations

import json
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from tablewright import Design, Model, Query, Table, pattern, served
from tablewright.cli.design_loader import load_designs
from tablewright.design.findings import Finding, Place
from tablewright.design.lint import Report, SuppressedFinding, lint, merged
from tablewright.design.lint.report_formats import (
    github_text,
    json_document,
    plain_text,
    shown_path,
    statistics,
)
from tablewright.design.lint.sarif import sarif_document

BROKEN = """
from tablewright import Index, Model, Design, Query, Table, pattern, served

T = Table("things", indexes=[Index("unused", pk="x")])


@T.entity("THING#{id}", "{n}")
class Thing(Model):
    id: str
    n: int


@T.entity("LOST#{nobody}", "META")
class Lost(Model):
    id: str


class Things(Design, tables=[T]):
    @pattern()
    def by_number(self, n: int) -> Query[Thing]:
        return served()
"""


def module(folder: Path, text: str, name: str = "design.py") -> ModuleType:
    (folder / name).write_text(text)
    return load_designs(str(folder / name), deferred=True)[0].module


def test_a_broken_design_is_listed_completely_by_line_and_code(tmp_path: Path) -> None:
    report = lint(module(tmp_path, BROKEN))
    lines = [(finding.place.line, finding.code) for finding in report.findings]
    assert lines == [(4, "TW302"), (7, "TW103"), (13, "TW106"), (19, "TW201")]
    assert all(finding.fix and finding.consequence for finding in report.findings)


def test_a_class_an_instance_a_table_and_tables_can_be_linted() -> None:
    table = Table("lone")

    @table.entity("A#{a}", "{b}")
    class Row(Model):
        a: str
        b: str

    class Rows(Design, tables=[table]):
        @pattern()
        def rows(self, a: str) -> Query[Row]:
            return served()

    assert lint(Rows) == lint(Rows()) == Report(())
    for given in (table, [table], (table,)):
        assert [finding.code for finding in lint(given).findings] == ["TW210"]


@pytest.mark.parametrize("given", [1, "text", [], [1], int, Model])
def test_anything_else_is_refused(given: object) -> None:
    with pytest.raises(TypeError, match="is not a design"):
        lint(given)


def test_two_classes_over_one_table_tell_its_mistakes_once(tmp_path: Path) -> None:
    text = BROKEN + BROKEN[BROKEN.index("class Things") :].replace("Things", "Again")
    report = lint(module(tmp_path, text))
    assert [f.code for f in report.findings].count("TW103") == 1
    assert [f.code for f in report.findings].count("TW201") == 2


# Formats.

AWKWARD = Finding(
    "TW104",
    "warning",
    "A, b:c",
    "50% of\r\nall: keys, it seems.",
    "It hurts.",
    "x::y",
    "Do.",
    Place("/projects/my designs/a,b:c.py", 7),
)
PLAIN = Finding("TW101", "error", "Row", "It is wrong.", place=Place("/projects/d.py", 3))
REPORT = Report((AWKWARD, PLAIN), (SuppressedFinding(PLAIN, "it is meant so"),))
BASE = Path("/projects")


def test_text_has_a_line_like_a_compilers_and_then_why_example_and_fix() -> None:
    first, *rest = plain_text(Report((PLAIN, AWKWARD)), BASE).splitlines()
    assert first == "d.py:3: TW101 Row: It is wrong."
    assert rest[-3:] == ["    why: It hurts.", "    example: x::y", "    fix: Do."]


def test_paths_are_relative_below_the_base_and_whole_elsewhere() -> None:
    assert shown_path("/projects/a/b.py", BASE) == "a/b.py"
    assert shown_path("/other/b.py", BASE) == "/other/b.py"


def test_json_holds_findings_explanations_and_counts() -> None:
    document = json_document(REPORT, BASE)
    assert json.loads(json.dumps(document)) == document
    assert document["findings"][1]["code"] == "TW101"
    assert document["findings"][1]["file"] == "d.py"
    assert document["findings"][1]["line"] == 3
    assert document["explained"][0]["reason"] == "it is meant so"
    assert document["statistics"] == statistics(REPORT)
    assert [(row["code"], row["findings"], row["explained"]) for row in statistics(REPORT)] == [
        ("TW101", 1, 1),
        ("TW104", 1, 0),
    ]


def unescaped(text: str) -> str:
    for escape, char in [("%2C", ","), ("%3A", ":"), ("%0A", "\n"), ("%0D", "\r"), ("%25", "%")]:
        text = text.replace(escape, char)
    return text


def test_annotations_for_github_survive_awkward_characters() -> None:
    awkward, plain = github_text(REPORT, BASE).split("\n")
    assert plain == "::error file=d.py,line=3,title=TW101 ambiguous key::Row: It is wrong."
    head, _, message = awkward.removeprefix("::").partition("::")
    command, _, given = head.partition(" ")
    properties = dict(part.split("=", 1) for part in given.split(","))
    assert command == "warning"
    assert unescaped(properties["file"]) == "my designs/a,b:c.py"
    assert properties["line"] == "7"
    assert unescaped(message).splitlines()[0] == "A, b:c: 50% of"
    assert "\r" not in awkward


# What SARIF 2.1.0 requires of a log file.


def sarif_mistakes(document: dict[str, Any]) -> list[str]:
    """What is missing or wrong in a SARIF document, by the properties its specification names."""
    wrong = []
    if document.get("version") != "2.1.0" or "$schema" not in document:
        wrong.append("log")
    for run in document.get("runs") or [{}]:
        driver = run.get("tool", {}).get("driver", {})
        if not driver.get("name"):
            wrong.append("driver")
        rules = driver.get("rules", [])
        ids = [rule.get("id") for rule in rules]
        if None in ids or len(set(ids)) < len(ids):
            wrong.append("rules")
        for result in run.get("results", []):
            wrong += _result_mistakes(result, ids)
    return wrong


def _result_mistakes(result: dict[str, Any], ids: list[str | None]) -> list[str]:
    wrong = []
    if not result.get("message", {}).get("text"):
        wrong.append("message")
    if result.get("level") not in ("none", "note", "warning", "error"):
        wrong.append("level")
    index = result.get("ruleIndex", -1)
    if not 0 <= index < len(ids) or ids[index] != result.get("ruleId"):
        wrong.append("ruleIndex")
    for location in result.get("locations", []):
        physical = location["physicalLocation"]
        uri = physical["artifactLocation"]["uri"]
        if " " in uri or "\\" in uri or physical["region"]["startLine"] < 1:
            wrong.append("location")
    kinds = [suppression.get("kind") for suppression in result.get("suppressions", [])]
    return wrong + ["suppression" for kind in kinds if kind not in ("inSource", "external")]


def test_sarif_has_all_that_its_specification_requires() -> None:
    document = sarif_document(REPORT, BASE, "1.2.3")
    assert sarif_mistakes(document) == []
    (run,) = document["runs"]
    assert run["tool"]["driver"]["version"] == "1.2.3"
    first, second, explained = run["results"]
    location = first["locations"][0]["physicalLocation"]
    assert location["artifactLocation"]["uri"] == "my%20designs/a%2Cb%3Ac.py"
    assert location["region"] == {"startLine": 7}
    assert second["level"] == "error"
    assert "suppressions" not in second
    assert explained["suppressions"] == [{"kind": "inSource", "justification": "it is meant so"}]


def test_sarif_names_files_elsewhere_absolutely_and_needs_no_place() -> None:
    nowhere = Finding("TW101", "error", "Row", "It is wrong.")
    elsewhere = Finding("TW101", "error", "Row", "Wrong.", place=Place("/else/d.py", 1))
    document = sarif_document(Report((nowhere, elsewhere)), BASE, "1")
    assert sarif_mistakes(document) == []
    one, other = document["runs"][0]["results"]
    assert "locations" not in one
    uri = other["locations"][0]["physicalLocation"]["artifactLocation"]["uri"]
    assert uri == "file:///else/d.py"


@pytest.mark.parametrize(
    ("path", "value", "mistake"),
    [
        (("version",), "2.0.0", "log"),
        (("runs", 0, "tool", "driver", "name"), "", "driver"),
        (("runs", 0, "results", 0, "message"), {}, "message"),
        (("runs", 0, "results", 0, "level"), "grave", "level"),
        (("runs", 0, "results", 0, "ruleIndex"), 9, "ruleIndex"),
        (("runs", 0, "results", 2, "suppressions", 0, "kind"), "here", "suppression"),
    ],
)
def test_the_check_of_sarif_finds_what_is_planted(
    path: tuple[Any, ...], value: object, mistake: str
) -> None:
    document = sarif_document(REPORT, BASE, "1")
    at: Any = document
    for step in path[:-1]:
        at = at[step]
    at[path[-1]] = value
    assert sarif_mistakes(document) == [mistake]


def test_reports_are_merged_without_repeats() -> None:
    assert merged([REPORT, REPORT]) == merged([REPORT])
    assert [f.code for f in merged([REPORT]).findings] == ["TW101", "TW104"]
