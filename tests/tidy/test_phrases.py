"""Sentences are plain English: quaint phrases that readers have to translate are not used.

Sources, templates and documents are searched. AWS's messages have none of these phrases.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[2]
SOURCE = ROOT / "src" / "tablewright"
SUFFIXES = {".py", ".html", ".js", ".css", ".md", ".json"}

BANNED = (
    "anew",
    "at a glance",
    "are told",
    "be told",
    "commonest",
    "done too often",
    "in AWS's words",
    "is told",
    "it is said",
    "nobody",
    "of old",
    "somebody",
    "tenths of",
    "that there is not",
    "there is nothing here",
    "was told",
    "were told",
    "what whoever",
    "whoever",
    "whom",
    "with no wishes",
)
PATTERN = re.compile(rf"\b(?:{'|'.join(BANNED)})\b".replace(" ", r"\s+"), re.IGNORECASE)

# Packages and documents that still have such phrases. Take one out when it has none any more.
NOT_YET: set[str] = {"partiql"}  # Its list of keywords has "of" before "old".


def texts() -> Iterator[Path]:
    """Everything that people read: sources, templates, documents."""
    for path in sorted((*SOURCE.rglob("*"), *(ROOT / "docs").rglob("*"), *ROOT.glob("*.md"))):
        if path.suffix in SUFFIXES and path.is_file():
            yield path


def unit_of(path: Path) -> str:
    """The package, system or document that a file belongs to, as NOT_YET names it."""
    if not path.is_relative_to(SOURCE):
        return path.relative_to(ROOT).as_posix()
    parts = path.relative_to(SOURCE).parts[:-1]
    return "/".join(parts[: 2 if parts[:1] == ("systems",) else 1]) or "tablewright"


def find_phrases(text: str) -> list[str]:
    """The banned phrases of a text, each with its line; neither breaks nor # hide them."""
    text = re.sub(r"(?<=\n)[ #*]+", lambda margin: " " * len(margin[0]), text)
    return [
        f"{text.count(chr(10), 0, match.start()) + 1}: {' '.join(match[0].split())}"
        for match in PATTERN.finditer(text)
    ]


def test_no_quaint_phrase_is_used() -> None:
    found = [
        f"{path.relative_to(ROOT)}:{phrase}"
        for path in texts()
        if unit_of(path) not in NOT_YET
        for phrase in find_phrases(path.read_text("utf-8"))
    ]
    assert found == []


def test_what_is_not_yet_done_exists() -> None:
    assert NOT_YET - set(map(unit_of, texts())) == set()


def test_planted_phrases_are_found() -> None:
    text = "x = 1\n# What Whoever\n# asked is\n# told, of old.\n'''Someone.'''\n"
    assert find_phrases(text) == ["2: What Whoever", "3: is told", "4: of old"]
    assert find_phrases("bold, renewed, retold, a whole, Soldered") == []
