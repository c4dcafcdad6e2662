"""Findings that a design explains in place, and explanations that explain nothing."""

from __future__ import annotations

from pathlib import Path

import pytest

from tablewright.cli.design_loader import load_design
from tablewright.design.lint import Report, Target, lint

DESIGN = """
from tablewright import Get, Model, Design, Table, Index, pattern, served

T = Table("groups", indexes=[Index("all", pk="kind", sk="name")])


{above}
@T.entity(  {beside}
    "GROUP#{{name}}",
    "META",
    {inside}
    all=("GROUPS", "{{name}}"),
)
class Group(Model):
    name: str


class Groups(Design, tables=[T]):
    @pattern(index="all")
    def one(self, name: str) -> Get[Group]:
        return served()


{below}
"""


def linted(
    folder: Path,
    *,
    above: str = "",
    beside: str = "",
    inside: str = "",
    below: str = "",
    target: Target = "aws",
) -> Report:
    file = folder / "design.py"
    file.write_text(DESIGN.format(above=above, beside=beside, inside=inside, below=below))
    return lint(load_design(str(file), deferred=True).module, target)


def codes(report: Report) -> list[str]:
    return [finding.code for finding in report.findings]


def test_without_a_comment_the_finding_stands(tmp_path: Path) -> None:
    assert codes(linted(tmp_path)) == ["TW401"]


@pytest.mark.parametrize("where", ["above", "beside", "inside"])
def test_a_comment_with_a_reason_explains_the_finding(tmp_path: Path, where: str) -> None:
    comment = {where: "# tw: ignore[TW401] a few dozen groups"}
    report = linted(tmp_path, **comment)  # type: ignore[arg-type]
    assert report.findings == ()
    (explained,) = report.ignored
    assert (explained.finding.code, explained.reason) == ("TW401", "a few dozen groups")


def test_a_comment_without_a_reason_is_found_and_explains_nothing(tmp_path: Path) -> None:
    report = linted(tmp_path, beside="# tw: ignore[TW401]")
    assert codes(report) == ["TW401", "TW901"]
    assert report.ignored == ()


def test_a_comment_about_another_code_is_found(tmp_path: Path) -> None:
    report = linted(tmp_path, beside="# tw: ignore[TW401,TW104] few groups")
    (finding,) = report.findings
    assert finding.code == "TW902"
    assert "TW104" in finding.cause


def test_a_comment_away_from_any_declaration_is_found(tmp_path: Path) -> None:
    assert codes(linted(tmp_path, below="# tw: ignore[TW401] few")) == ["TW401", "TW902"]


def test_a_code_that_no_rule_has_is_found(tmp_path: Path) -> None:
    report = linted(tmp_path, beside="# tw: ignore[TW401,TW999] few")
    (finding,) = report.findings
    assert "no rule has the code TW999" in finding.cause


def test_a_comment_for_another_target_is_left_alone(tmp_path: Path) -> None:
    comment = "# tw: ignore[TW401,TW705] few"
    assert linted(tmp_path, beside=comment).findings == ()
    assert codes(linted(tmp_path, beside=comment, target="alternator")) == ["TW902"]


def test_of_a_class_alone_only_comments_beside_its_own_declarations_count(tmp_path: Path) -> None:
    file = tmp_path / "design.py"
    file.write_text(DESIGN.format(above="", beside="", inside="", below="# tw: ignore[TW102] x"))
    design = load_design(f"{file}:Groups", deferred=True)
    assert codes(lint(design.patterns)) == ["TW401"]
