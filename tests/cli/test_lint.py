"""``tablewright lint``: what it prints where, and how it exits."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from tablewright.cli import app
from tablewright.cli.design_loader import SYSTEMS
from tablewright.cli.lint import _coloured

ROOT = Path(__file__).parents[2]

FLAWED = """
from tablewright import Get, Index, Model, Design, Query, Table, pattern, served

T = Table("things", indexes=[Index("all", pk="kind", sk="id")])


@T.entity("THING#{id}", "META", all=("THINGS", "{id}"))
class Thing(Model):
    id: str


@T.entity("THING#{id}", "N#{n}")
class Numbered(Model):
    id: str
    n: int


class Things(Design, tables=[T]):
    @pattern(index="all")
    def things(self) -> Query[Thing]:
        return served()

    @pattern()
    def numbers(self, id: str) -> Query[Numbered]:
        return served()
"""
CLEAN = FLAWED.replace("{n}", "{n:04}").replace(
    '@T.entity("THING#{id}", "META"',
    '# tw: ignore[TW401] a few things\n@T.entity("THING#{id}", "META"',
)


def linted(*arguments: str) -> Result:
    return CliRunner().invoke(app, ["lint", *arguments])


@pytest.fixture
def flawed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "design.py").write_text(FLAWED)
    return "design.py"


def test_the_five_systems_are_clean_and_their_suppressions_are_counted() -> None:
    result = linted(*SYSTEMS, "--statistics")
    assert result.exit_code == 0
    assert "TW401  few partitions  (9 suppressed)" in result.stdout
    assert "TW104  normalised value in a key  (4 suppressed)" in result.stdout
    assert "No findings. 17 suppressed." in result.stderr


def test_findings_are_data_and_their_number_is_a_message(flawed: str) -> None:
    result = linted(flawed)
    assert result.exit_code == 1
    first, *rest = result.stdout.splitlines()
    assert first.startswith("design.py:7: TW401 Thing: ")
    assert any(line.startswith("design.py:12: TW103 Numbered: ") for line in rest)
    assert "    example: n = 10 sorts before n = 9" in rest
    assert "    fix: Write {n:04} for four digits." in rest
    assert result.stderr == "Found 1 error and 1 warning.\n"
    assert "\x1b" not in result.stdout


def test_a_clean_design_prints_nothing_but_a_message(tmp_path: Path) -> None:
    (tmp_path / "design.py").write_text(CLEAN)
    result = linted(str(tmp_path / "design.py"))
    assert (result.exit_code, result.stdout) == (0, "")
    assert result.stderr == "No findings. 1 suppressed.\n"


def test_exit_zero_exits_with_zero_despite_findings(flawed: str) -> None:
    result = linted(flawed, "--exit-zero")
    assert result.exit_code == 0
    assert "TW103" in result.stdout


@pytest.mark.parametrize(
    ("options", "codes"),
    [
        (["--select", "TW1"], ["TW103"]),
        (["--select", "TW1,TW4"], ["TW401", "TW103"]),
        (["--select", "TW1", "--select", "TW401"], ["TW401", "TW103"]),
        (["--ignore", "TW103"], ["TW401"]),
        (["--select", "TW", "--ignore", "TW4,TW1"], []),
    ],
)
def test_codes_are_chosen_by_their_beginning(
    flawed: str, options: list[str], codes: list[str]
) -> None:
    result = linted(flawed, "--format", "json", *options)
    assert [finding["code"] for finding in json.loads(result.stdout)["findings"]] == codes
    assert result.exit_code == bool(codes)


def test_json_is_one_document(flawed: str) -> None:
    document = json.loads(linted(flawed, "--format", "json").stdout)
    assert document["findings"][0]["file"] == "design.py"
    assert document["findings"][0]["line"] == 7
    assert [row["code"] for row in document["statistics"]] == ["TW103", "TW401"]


def test_github_gets_an_annotation_for_each_finding(flawed: str) -> None:
    lines = linted(flawed, "--format", "github").stdout.splitlines()
    assert lines[0].startswith("::warning file=design.py,line=7,title=TW401 few partitions::Thing")
    assert lines[1].startswith("::error file=design.py,line=12,title=TW103 ")


def test_sarif_has_a_result_for_each_finding(flawed: str) -> None:
    document = json.loads(linted(flawed, "--format", "sarif").stdout)
    assert document["version"] == "2.1.0"
    assert [r["ruleId"] for r in document["runs"][0]["results"]] == ["TW401", "TW103"]


def test_the_target_decides_which_rules_apply() -> None:
    assert linted("3fc", "--target", "embedded").exit_code == 0
    result = linted("3fc", "--target", "alternator")
    assert result.exit_code == 1
    assert "TW701" in result.stdout


def test_a_document_that_is_full_of_mistakes_is_listed_completely() -> None:
    result = linted(str(ROOT / "tests/design/transcriptions/funkedupshift.py"), "--statistics")
    assert result.exit_code == 1
    assert {line.split()[1] for line in result.stdout.splitlines()} >= {
        "TW202",
        "TW203",
        "TW204",
        "TW301",
        "TW401",
    }


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], "name a design: a file, a module, or one of roll-model"),
        (["no-such-system"], "unknown design"),
        (["nowhere.py"], "nowhere.py: no such file"),
        (["no_such_module"], "ModuleNotFoundError"),
        (["roll-model", "--select", "XX1"], "no rule matches XX1"),
        (["roll-model", "--statistics", "--format", "sarif"], "--statistics works with"),
        (["json"], "json contains no design"),
        (["roll-model:Nobody"], "Nobody is not a design. Designs in the module: RollModel"),
    ],
)
def test_mistakes_in_the_command_exit_with_two(arguments: list[str], message: str) -> None:
    result = linted(*arguments)
    assert result.exit_code == 2
    assert message in result.stderr
    assert result.stdout == ""


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("import nothing_of_this_name\n", "ModuleNotFoundError"),
        ("x = 1\n\ny = 1 / 0\n", "design.py:3: ZeroDivisionError: division by zero"),
        ("x = (\n", "design.py:1: SyntaxError"),
    ],
)
def test_a_file_that_cannot_be_imported_is_reported_with_its_line_and_error(
    tmp_path: Path, text: str, message: str
) -> None:
    (tmp_path / "design.py").write_text(text)
    result = linted(str(tmp_path / "design.py"), "--exit-zero")
    assert result.exit_code == 2
    assert message in result.stderr
    assert "Traceback" not in result.stderr


@pytest.mark.parametrize(
    ("is_terminal", "environment", "is_coloured"),
    [(True, {}, True), (False, {}, False), (True, {"NO_COLOR": "1"}, False)],
)
def test_colours_are_for_people_who_want_them(
    is_terminal: bool,
    environment: dict[str, str],
    is_coloured: bool,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.delenv("NO_COLOR", raising=False)
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setattr(sys.stdout, "isatty", lambda: is_terminal)
    assert ("\x1b[" in _coloured("TW101", "error")) == is_coloured


def test_the_command_works_in_a_process_of_its_own() -> None:
    program = "from tablewright.cli import main; main()"
    done = subprocess.run(
        [sys.executable, "-c", program, "lint", "stayon"],
        check=False,
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert (done.returncode, done.stdout) == (0, "")
    assert done.stderr == "No findings. 4 suppressed.\n"
