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
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
CASES = Path(__file__).with_name("cases.py")

Findings = dict[int, list[tuple[str, str]]]  # By line: (severity, message).


def expected(marker: str) -> dict[int, str]:
    """The lines of the cases that end in a marker, and what follows it."""
    result = {}
    for number, line in enumerate(CASES.read_text("utf-8").splitlines(), 1):
        if match := re.search(rf"# {marker}(?:: (.*))?$", line):
            result[number] = match[1] or ""
    return result


def said_by_mypy() -> Findings:
    command = [sys.executable, "-m", "mypy", "--strict", "--no-incremental", "--no-error-summary"]
    ran = subprocess.run(
        [*command, "--no-pretty", str(CASES)],
        cwd=ROOT,
        env={**os.environ, "MYPYPATH": str(ROOT / "src")},
        capture_output=True,
        text=True,
        check=False,
    )
    result: Findings = {}
    for line in ran.stdout.splitlines():
        if match := re.match(r".*cases\.py:(\d+): (error|note): (.*)", line):
            result.setdefault(int(match[1]), []).append((match[2], match[3]))
    assert result, ran.stdout + ran.stderr
    return result


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
    result: Findings = {}
    for one in json.loads(ran.stdout)["generalDiagnostics"]:
        severity = "error" if one["severity"] == "error" else "note"
        line = one["range"]["start"]["line"] + 1
        result.setdefault(line, []).append((severity, one["message"]))
    assert result, ran.stdout + ran.stderr
    return result


@pytest.fixture(scope="module", params=[said_by_mypy, said_by_pyright], ids=["mypy", "pyright"])
def said(request: pytest.FixtureRequest) -> Findings:
    findings: Findings = request.param()
    return findings


def plain(told: str) -> str:
    """A revealed type without modules and quotes."""
    return re.sub(r"\b(?:[a-z_]+\.)+(?=[A-Za-z])", "", told.replace('"', "").replace("'", ""))


def test_the_checkers_reveal_the_types_that_the_cases_say(said: Findings) -> None:
    wrong = {}
    for line, wanted in expected("revealed").items():
        text = [plain(message) for _, message in said.get(line, [])]
        if not any(message.endswith(f" is {wanted}") for message in text):
            wrong[line] = (wanted, text)
    assert wrong == {}


def test_the_checkers_refuse_what_is_wrong(said: Findings) -> None:
    missed = [
        line
        for line in expected("refused")
        if not any(severity == "error" for severity, _ in said.get(line, []))
    ]
    assert missed == []


def test_the_checkers_accept_everything_else(said: Findings) -> None:
    meant = expected("refused")
    errors = {
        line: messages
        for line, messages in said.items()
        if line not in meant and any(severity == "error" for severity, _ in messages)
    }
    assert errors == {}
