"""Text without markup: what people write is kept as plain text."""

from __future__ import annotations

import re
from typing import Any, Final

from tablewright.web.http.field_types import Text

__all__ = ["Untagged", "without_tags"]

_TAG: Final = re.compile("<[^>]*>")


def without_tags(text: str) -> str:
    """A text without everything from a ``<`` to the next ``>``."""
    # Behind the last ">" there is no tag; to look for one at each "<" there would take forever.
    end = text.rfind(">") + 1
    return _TAG.sub("", text[:end]) + text[end:]


class Untagged(Text):
    """Text whose tags are taken away before it is trimmed and measured."""

    def __init__(self, low: int, high: int) -> None:
        super().__init__(low, high)
        self.schema = {
            "type": "string",
            "minLength": low,
            "description": f"Tags are removed; at most {high} characters are left then.",
        }

    def check(self, value: Any) -> str:
        return super().check(without_tags(value) if isinstance(value, str) else value)
