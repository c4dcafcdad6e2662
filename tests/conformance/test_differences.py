"""The list of differences names tests that exist."""

from __future__ import annotations

from pathlib import Path

from .differences import DIFFERENCES

HERE = Path(__file__).parent


def test_every_difference_is_of_a_test_that_exists() -> None:
    for name in DIFFERENCES:
        file, _, test = name.partition("::")
        definition = f"def {test.partition('[')[0]}("
        assert definition in (HERE / file).read_text("utf-8"), name
