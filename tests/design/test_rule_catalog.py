"""The rule catalogue, the checks and docs/lint.md agree."""

from __future__ import annotations

import re
from pathlib import Path

from tablewright.design.findings import Finding
from tablewright.design.rule_catalog import RULES, completed

ROOT = Path(__file__).parents[2]
SOURCE = ROOT / "src" / "tablewright"
CATALOGUE = "rule_catalog.py"


def codes_used(folder: Path) -> set[str]:
    """The codes that source files contain as strings, except the catalogue."""
    texts = [path.read_text("utf-8") for path in folder.rglob("*.py") if path.name != CATALOGUE]
    return {code for text in texts for code in re.findall(r'"(TW\d{3})"', text)}


def codes_documented(page: str) -> list[str]:
    """The codes that have a row of their own in a table."""
    return re.findall(r"^\| (TW\d{3}) \|", page, re.MULTILINE)


def test_every_code_in_use_is_a_rule_and_every_rule_is_in_use() -> None:
    assert codes_used(SOURCE) == RULES.keys()


def test_every_rule_is_documented_once_and_nothing_else_is() -> None:
    page = (ROOT / "docs" / "lint.md").read_text("utf-8")
    assert codes_documented(page) == sorted(RULES)


def test_documented_severities_are_the_rules_own() -> None:
    page = (ROOT / "docs" / "lint.md").read_text("utf-8")
    severities = dict(re.findall(r"^\| (TW\d{3}) \| (error|warning) \|", page, re.MULTILINE))
    assert severities == {code: rule.severity for code, rule in RULES.items()}


def test_the_page_says_for_each_rule_whether_it_is_raised_at_import() -> None:
    page = (ROOT / "docs" / "lint.md").read_text("utf-8")
    rows = re.findall(r"^\| (TW\d{3}) \| \w+ \| (at import|lint only) \|", page, re.MULTILINE)
    assert dict(rows) == {
        code: "at import" if rule.at_import else "lint only" for code, rule in RULES.items()
    }


def test_rules_raised_at_import_are_those_that_the_design_itself_checks() -> None:
    design = SOURCE / "design"
    texts = [
        path.read_text("utf-8")
        for path in design.rglob("*.py")
        if path.name != CATALOGUE and path.parent.name != "lint"
    ]
    used = {code for text in texts for code in re.findall(r'"(TW\d{3})"', text)}
    assert used == {code for code, rule in RULES.items() if rule.at_import}


def test_the_page_names_the_targets_of_each_rule() -> None:
    page = (ROOT / "docs" / "lint.md").read_text("utf-8")
    for code, rule in RULES.items():
        row = next(line for line in page.splitlines() if line.startswith(f"| {code} |"))
        assert re.findall(r"\(targets? (.*?)\)", row) == (
            [", ".join(f"`{target}`" for target in rule.targets)] if rule.targets else []
        )


def test_ignore_comments_in_designs_name_rules() -> None:
    texts = [path.read_text("utf-8") for path in (SOURCE / "systems").rglob("design.py")]
    named = {code for text in texts for code in re.findall(r"ignore\[(TW\d{3})", text)}
    assert named
    assert named <= RULES.keys()


def test_every_rule_has_a_consequence_and_a_fix_in_sentences() -> None:
    for code, rule in RULES.items():
        assert rule.code == code
        assert rule.title
        assert rule.why.endswith(".")
        assert rule.fix.endswith((".", "…."))


def test_a_finding_is_completed_from_its_rule_and_keeps_what_it_says_itself() -> None:
    bare = Finding("TW101", "error", "Row", "Wrong.")
    assert completed(bare).fix == RULES["TW101"].fix
    assert completed(bare).consequence == RULES["TW101"].why
    complete = Finding("TW101", "error", "Row", "Wrong.", "Then this.", "", "Do that.")
    assert completed(complete) == complete


def test_the_checkers_find_what_is_planted(tmp_path: Path) -> None:
    (tmp_path / "one.py").write_text('finding("TW998", x)\n')
    (tmp_path / "rule_catalog.py").write_text('_error("TW999")\n')
    assert codes_used(tmp_path) == {"TW998"}
    assert codes_documented("| TW101 | a |\nTW102\n| TW103 |\n") == ["TW101", "TW103"]
