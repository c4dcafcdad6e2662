"""mypy and pyright agree on what a design's operations return, and refuse what is wrong.

Neither needs a plugin. `cases.py` says what each line must give; a checker that lets a wrong
argument pass, or reveals another type, fails here.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
CASES = Path(__file__).with_name("cases.py")

Findings = dict[int, list[tuple[str, str]]]  # By line: (severity, message).


def expected(marker: str) -> dict[int, str]:
    """The lines of the cases that end in a marker, and what follows it."""
    found = {}
    for number, line in enumerate(CASES.read_text("utf-8").splitlines(), 1):
        if match := re.search(rf"# {marker}(?:: (.*))?$", line):
            found[number] = match[1] or ""
    return found


def said_by_mypy() -> Findings:
    # With the cache of ./dev check, which has just read all but the cases.
    command = [sys.executable, "-m", "mypy", "--strict", "--no-error-summary"]
    ran = subprocess.run(
        [*command, "--no-pretty", str(CASES)],
        cwd=ROOT,
        env={**os.environ, "MYPYPATH": str(ROOT / "src")},
        capture_output=True,
        text=True,
        check=False,
    )
    found: Findings = {}
    for line in ran.stdout.splitlines():
        if match := re.match(r".*cases\.py:(\d+): (error|note): (.*)", line):
            found.setdefault(int(match[1]), []).append((match[2], match[3]))
    assert found, ran.stdout + ran.stderr
    return found


def said_by_pyright() -> Findings:
    if shutil.which("node") is None:
        pytest.skip("pyright needs node, which is not here")
    ran = subprocess.run(
        [
            sys.executable,
            "-m",
            "pyright",
            "--outputjson",
            "--pythonpath",
            sys.executable,
            str(CASES),
        ],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    found: Findings = {}
    for one in json.loads(ran.stdout)["generalDiagnostics"]:
        severity = "error" if one["severity"] == "error" else "note"
        line = one["range"]["start"]["line"] + 1
        found.setdefault(line, []).append((severity, one["message"]))
    assert found, ran.stdout + ran.stderr
    return found


def plain(told: str) -> str:
    """A revealed type without modules and quotes."""
    return re.sub(r"\b(?:[a-z_]+\.)+(?=[A-Za-z])", "", told.replace('"', "").replace("'", ""))


def other_types(said: Findings) -> dict[int, tuple[str, list[str]]]:
    """The lines where another type is revealed than the cases say."""
    wrong = {}
    for line, wanted in expected("revealed").items():
        told = [plain(message) for _, message in said.get(line, [])]
        if not any(message.endswith(f" is {wanted}") for message in told):
            wrong[line] = (wanted, told)
    return wrong


def error_lines(said: Findings) -> set[int]:
    return {
        line
        for line, messages in said.items()
        if any(severity == "error" for severity, _ in messages)
    }


# One test for each checker: workers would otherwise each start it.
@pytest.mark.parametrize("checker", [said_by_mypy, said_by_pyright], ids=["mypy", "pyright"])
def test_a_checker_says_what_the_cases_say_and_refuses_only_what_is_wrong(
    checker: Callable[[], Findings],
) -> None:
    said = checker()
    assert other_types(said) == {}
    assert error_lines(said) == expected("refused").keys()


def test_another_type_and_a_missing_error_are_found() -> None:
    lines = expected("revealed")
    said: Findings = {line: [("note", f"Revealed type is {lines[line]}")] for line in lines}
    assert other_types(said) == {}
    first = min(lines)
    said[first] = [("error", "Revealed type is Nothing")]
    assert other_types(said) == {first: (lines[first], ["Revealed type is Nothing"])}
    assert error_lines(said) == {first}
