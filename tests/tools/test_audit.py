"""What an audit of the dependencies comes to."""

from __future__ import annotations

from typing import Any

from audit import judge

GOOD = {"name": "orjson", "version": "3.11.0", "vulns": []}
BAD = {
    "name": "pillow",
    "version": "1.0",
    "vulns": [{"id": "PYSEC-1", "fix_versions": ["1.1"], "aliases": [], "description": ""}],
}
UNKNOWN = {"name": "apsw", "skip_reason": "Dependency not found on PyPI and could not be audited"}


def report(*packages: Any) -> dict[str, Any]:
    return {"dependencies": list(packages), "fixes": []}


def test_a_package_with_an_advisory_fails_the_audit() -> None:
    code, lines = judge(report(GOOD, BAD))
    assert code == 1
    assert lines == [
        "pillow 1.0: PYSEC-1, fixed in 1.1",
        "2 packages audited, 1 with advisories.",
    ]


def test_packages_without_advisories_pass_and_unknown_ones_are_named() -> None:
    code, lines = judge(report(GOOD, UNKNOWN))
    assert code == 0
    assert lines[0].startswith("apsw: ")
    assert lines[-1] == "1 packages audited, 0 with advisories."


def test_where_no_database_is_reached_nothing_is_claimed() -> None:
    code, lines = judge(report(UNKNOWN))
    assert code == 0
    assert "nothing was audited" in lines[0]
