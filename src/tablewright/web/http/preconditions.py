"""If-Match and ETag: a change of the version one has seen, or none."""

from __future__ import annotations

from typing import Annotated

from fastapi import Depends, Header

from tablewright.web.http.problems import Problem

__all__ = ["IfMatch", "Precondition", "etag"]


def etag(version: int) -> str:
    """The tag of a version."""
    return f'"{version}"'


class IfMatch:
    """What a request says about the version it wants to change."""

    def __init__(self, header: str | None) -> None:
        self._tags = None if header is None else [tag.strip() for tag in header.split(",")]

    @property
    def is_given(self) -> bool:
        return self._tags is not None

    def require(self, version: int | None) -> None:
        """Raise 412 unless the header is absent, names this version, or is ``*``.

        None is the version of what is not there yet: no tag names it, nor does ``*``.
        """
        if self._tags is None:
            return
        # A star stands alone: in a list it is no tag, and names no version.
        is_any = self._tags == ["*"]
        if version is None or not (is_any or etag(version) in self._tags):
            raise Problem(412)


def _precondition(
    if_match: Annotated[
        str | None,
        Header(alias="If-Match", description='Only if this is the current version: `"3"`, or `*`.'),
    ] = None,
) -> IfMatch:
    return IfMatch(if_match)


Precondition = Annotated[IfMatch, Depends(_precondition)]
