"""The shape of attribute values, which clients nest to any depth."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sized
from typing import Any, Final

from tablewright.engine.requests.shapes.containers import List, Map
from tablewright.engine.requests.shapes.scalars import Accepts, Boolean, Bytes, Shape, String
from tablewright.engine.requests.shapes.wording import MODEL, address_of
from tablewright.errors import SerializationError, ValidationError
from tablewright.limits import ITEM_BYTES_MAX

_JAVA: Final = MODEL + "AttributeValue"


class Attribute(Shape):
    """An attribute value, ``{"S": "…"}`` and so on: JSON types only, nested to any depth."""

    java = _JAVA
    may_be_null = True  # An empty attribute value, which values.attributes rejects.

    def _compile(self) -> Accepts:
        return lambda value: _attributes_fit((value,))

    def compile_all(self) -> Callable[[Iterable[Any]], bool]:
        return _attributes_fit

    def text(self, value: Any) -> str:
        return address_of(self.java, value)

    def require_types(self, value: Any) -> None:
        # Clients choose the depth, so this uses an explicit stack. Its iterators keep the request's
        # order, since only the first violation is reported.
        stack = [iter((value,))]
        while stack:
            element = next(stack[-1], stack)
            if element is stack:
                stack.pop()
            elif element is not None:
                stack.extend(self._require_member_types(element))

    def _require_member_types(self, value: Any) -> list[Iterator[Any]]:
        """Check one value's members; return the nested values that remain to be checked."""
        if type(value) is list:
            raise SerializationError(f"Unrecognized collection type class {self.java}")
        if type(value) is not dict:
            raise SerializationError("Unexpected value type in payload")
        nested: list[Iterator[Any]] = []
        for kind, content in value.items():
            if content is None or kind not in _CONTENT_TYPES:
                continue
            if kind in _DOCUMENTS:
                _DOCUMENTS[kind].require_types(content)
                nested.append(iter(content if kind == "L" else content.values()))
            else:
                _CONTENTS[kind].require_types(content)
        nested.reverse()
        return nested


class _Anything(Shape):
    """An element of L or M, which Attribute checks itself."""

    java = _JAVA

    def _compile(self) -> Accepts:
        return lambda _: True

    def require_types(self, value: Any) -> None:
        """Accept anything here."""


_CONTENTS: Final[dict[str, Shape]] = {
    "S": String(),
    "N": String(),
    "B": Bytes(),
    "BOOL": Boolean(),
    "NULL": Boolean(),
    "SS": List(String()),
    "NS": List(String()),
    "BS": List(Bytes()),
}
_DOCUMENTS: Final[dict[str, Shape]] = {"L": List(_Anything()), "M": Map(_Anything())}
_CONTENT_TYPES: Final[dict[str, type]] = {
    "S": str,
    "N": str,
    "B": str,
    "BOOL": bool,
    "NULL": bool,
    "SS": list,
    "NS": list,
    "BS": list,
    "L": list,
    "M": dict,
}


def _require_few(members: Sized) -> None:
    """Reject a collection that is too large for any item before iterating over it.

    Members of lists and maps take at least two bytes, and so do all but a few of a set, which are
    distinct. Iterating over millions takes a second and blocks all other requests.
    """
    if len(members) > ITEM_BYTES_MAX // 2:
        raise ValidationError("Item size has exceeded the maximum allowed size")


def _attributes_fit(values: Iterable[Any]) -> bool:
    """Whether all are valid attribute values; False means undecided."""
    expected = _CONTENT_TYPES
    pending: list[Iterable[Any]] = [values]
    for level in pending:
        for value in level:
            if type(value) is not dict:
                return False
            if len(value) == 1 and type(value.get("S")) is str:
                continue  # Fast path for strings.
            for kind, content in value.items():
                content_type = type(content)
                if content_type is not expected.get(kind):
                    return False
                if content_type is dict:
                    _require_few(content)
                    pending.append(content.values())
                elif content_type is list:
                    _require_few(content)
                    if kind == "L":
                        pending.append(content)
                    elif not all(type(element) is str for element in content):
                        return False
    return True
