"""The limit of open files: raised as far as the process may."""

from __future__ import annotations

import resource
from collections.abc import Iterator

import pytest

from tablewright.file_descriptors import raise_descriptor_limit


@pytest.fixture(autouse=True)
def limits() -> Iterator[None]:
    before = resource.getrlimit(resource.RLIMIT_NOFILE)
    yield
    resource.setrlimit(resource.RLIMIT_NOFILE, before)


def test_the_limit_becomes_as_high_as_the_process_may_have_it() -> None:
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(256, hard), hard))
    assert raise_descriptor_limit() == hard
    assert resource.getrlimit(resource.RLIMIT_NOFILE) == (hard, hard)


def test_a_limit_that_cannot_be_raised_stays_as_it_is(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise ValueError("current limit exceeds maximum limit")

    soft, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    monkeypatch.setattr(resource, "setrlimit", refuse)
    assert raise_descriptor_limit() == soft
