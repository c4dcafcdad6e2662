"""What exists is documented: verbs, options, errors, operations, and every admitted difference."""

from __future__ import annotations

import io
import re
import tokenize
import tomllib
from collections.abc import Iterable
from pathlib import Path

import typer.main

from tablewright import errors
from tablewright.cli import app, exit_codes
from tablewright.engine.operations import NAMES

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"


def find_unmentioned(names: Iterable[str], page: str) -> list[str]:
    """The names that a page does not have in code type."""
    return [name for name in names if not re.search(rf"`{re.escape(name)}[` ]", page)]


def find_differences(folder: Path) -> list[str]:
    """The first sentence of every comment that begins ``# Differs:``, anywhere in the folder."""
    found = []
    for path in sorted(folder.rglob("*.py")):
        words: list[str] | None = None
        source = io.StringIO(path.read_text("utf-8"))
        for token in tokenize.generate_tokens(source.readline):
            if token.type == tokenize.COMMENT:
                text = token.string.lstrip("# ")
                if text.startswith("Differs:"):
                    words = []
                    found.append(words)
                if words is not None:
                    words += text.removeprefix("Differs:").split()
            elif token.type not in {tokenize.NL, tokenize.NEWLINE}:
                words = None
    return [" ".join(words).partition(". ")[0].rstrip(".") for words in found]


def find_unlisted_differences(folder: Path, page: str) -> list[str]:
    flat = " ".join(page.replace("`", "").split()).lower()
    return [text for text in find_differences(folder) if text.replace("`", "").lower() not in flat]


def test_every_verb_and_option_is_documented() -> None:
    page = (DOCS / "cli.md").read_text("utf-8")
    verbs = typer.main.get_command(app).commands  # type: ignore[attr-defined]
    assert find_unmentioned((f"tablewright {name}" for name in verbs), page) == []
    for verb in verbs.values():
        options = [option for parameter in verb.params for option in parameter.opts]
        flags = [option for option in options if option.startswith("--")]
        assert find_unmentioned(flags, page) == []


def test_every_exit_code_is_documented() -> None:
    page = (DOCS / "cli.md").read_text("utf-8")
    codes = [value for name, value in vars(exit_codes).items() if name.isupper()]
    assert [code for code in codes if f"| {code} |" not in page] == []


def test_every_error_class_is_documented() -> None:
    page = (DOCS / "errors.md").read_text("utf-8")
    assert find_unmentioned(errors.__all__, page) == []


def test_every_operation_is_in_the_compatibility_table() -> None:
    page = (DOCS / "compatibility.md").read_text("utf-8")
    assert [name for name in NAMES if not re.search(rf"\b{name}\b", page)] == []


def test_every_admitted_difference_is_listed() -> None:
    page = (DOCS / "compatibility.md").read_text("utf-8")
    assert find_unlisted_differences(ROOT / "src", page) == []


def test_every_runtime_dependency_has_its_reason() -> None:
    page = (DOCS / "decisions" / "001-runtime-dependencies.md").read_text("utf-8")
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
    names = [re.split(r"[<>=;]", line)[0] for line in project["project"]["dependencies"]]
    assert [name for name in names if f"| {name} |" not in page] == []


def test_the_extra_for_developers_is_their_dependency_group() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
    assert project["project"]["optional-dependencies"]["dev"] == project["dependency-groups"]["dev"]


def test_the_lock_for_serving_is_part_of_the_lock_for_developers() -> None:
    locks = [
        set(re.findall(r"^([\w.-]+==\S+)", (ROOT / name).read_text("utf-8"), re.MULTILINE))
        for name in ("requirements.lock", "requirements-dev.lock")
    ]
    assert locks[0] < locks[1]
    assert not {line.split("==")[0] for line in locks[0]} & {"mypy", "pytest", "ruff", "boto3"}


def test_the_readme_is_short() -> None:
    assert len((ROOT / "README.md").read_text("utf-8").splitlines()) <= 80


def test_every_page_can_be_reached_from_the_readme() -> None:
    seen: set[Path] = set()
    waiting = [ROOT / "README.md"]
    while waiting:
        page = waiting.pop()
        targets = re.findall(r"\]\(([^)#:]+\.md)", page.read_text("utf-8"))
        linked = {(page.parent / target).resolve() for target in targets}
        waiting += linked - seen
        seen |= linked
    assert set(DOCS.rglob("*.md")) - seen == set()


def test_links_between_documents_lead_somewhere() -> None:
    broken = [
        f"{page.name}: {target}"
        for page in (*ROOT.glob("*.md"), *DOCS.rglob("*.md"))
        for target in re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", page.read_text("utf-8"))
        if not (page.parent / target).exists()
    ]
    assert broken == []


def test_files_that_documents_name_exist() -> None:
    absent = [
        f"{page.name}: {name}"
        for page in (*ROOT.glob("*.md"), *DOCS.rglob("*.md"))
        for name in re.findall(r"`(src/[\w/.]+)`", page.read_text("utf-8"))
        if not (ROOT / name).exists()
    ]
    assert absent == []


def test_the_checkers_find_what_is_planted(tmp_path: Path) -> None:
    assert find_unmentioned(["Known", "Unknown"], "see `Known`") == ["Unknown"]
    (tmp_path / "planted.py").write_text(
        "x = 1\n# Differs: the moon is\n# made of cheese. Really.\ny = '# Differs: not a comment'\n"
        "# Differs: the sun is hot.\n"
    )
    assert find_differences(tmp_path) == ["the moon is made of cheese", "the sun is hot"]
    page = "- The moon is made of\n  cheese."
    assert find_unlisted_differences(tmp_path, page) == ["the sun is hot"]
