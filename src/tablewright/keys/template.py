"""A key template: literal text and fields, compiled once, rendered and parsed exactly.

``GAME#{gameId}#{third:02}`` has the literals ``GAME#`` and ``#`` and the fields gameId and third;
a field's codec decides its values. A template compiles only if every key it renders can be parsed
back: the text after a field of variable width must start with a character that the field cannot
contain. Unchecked codecs are the exception; ``ambiguity`` then gives two tuples of values with the
same key.

Knows nothing about entities: the caller supplies the codec of a field.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from tablewright.errors import KeyTextMismatch, KeyValueInvalid, PlanError
from tablewright.keys.codec import Codec
from tablewright.keys.languages import ANY, Choice, Piece, bytes_max, pattern_of
from tablewright.keys.parts import CodecOf, Field, Part, parts_of, pieces_of, two_readings
from tablewright.keys.ranges import Span, span_of

__all__ = ["Ambiguity", "Field", "Part", "Template", "Values"]

Values = Mapping[str, Any]
Ambiguity = tuple[dict[str, Any], dict[str, Any], str]


@dataclass(frozen=True, eq=False)
class Template:
    """A compiled key template."""

    text: str
    parts: tuple[Part, ...]
    delimiter: str

    @classmethod
    def compile(cls, text: str, codec_of: CodecOf, delimiter: str = "#") -> Template:
        """Return the template; raises KeyTemplateError if it could not be parsed back."""
        return cls(text, parts_of(text, codec_of, delimiter), delimiter)

    # Properties.

    @cached_property
    def fields(self) -> tuple[str, ...]:
        """The names of its fields, as written, in order, each once."""
        return tuple(dict.fromkeys(part.name for part in self.parts if isinstance(part, Field)))

    @property
    def is_literal(self) -> bool:
        """Whether it has no field, so that it renders one text only."""
        return not self.fields

    @property
    def is_plain(self) -> bool:
        """Whether it is one field and nothing else."""
        return len(self.parts) == 1 and isinstance(self.parts[0], Field)

    @cached_property
    def pieces(self) -> tuple[Piece | Choice, ...]:
        """The language of its keys."""
        return pieces_of(self.parts)

    @cached_property
    def max_bytes(self) -> int | None:
        """The UTF-8 bytes of the longest key it can render; None if there is no longest."""
        return bytes_max(self.pieces)

    @cached_property
    def ambiguity(self) -> Ambiguity | None:
        """Two tuples of values that render the same key, and that key; None if there are none."""
        if all(part.codec.is_checked for part in self.parts if isinstance(part, Field)):
            return None
        return two_readings(self.parts)

    def codec(self, field: str) -> Codec:
        """Return the codec of a field, at its first place."""
        part = self.parts[self._place(field)]
        assert isinstance(part, Field)
        return part.codec

    # Keys.

    def render(self, values: Values) -> str:
        """Return the key; raises KeyValueInvalid, which names the field."""
        try:
            return self._format % tuple([encode(values[name]) for name, encode in self._encoders])
        except (KeyValueInvalid, KeyError):
            raise self._render_error(values) from None

    def parse(self, text: str) -> dict[str, Any]:
        """The values in a key, one possible reading if it is ambiguous; raises KeyTextMismatch."""
        match = self._match(text)
        if match is None:
            raise KeyTextMismatch(f"{text!r} is not a key of {self.text!r}")
        values: dict[str, Any] = {}
        for field, part in zip(self._places, match.groups(), strict=True):
            try:
                value = field.codec.decode(part)
            except KeyValueInvalid as error:
                raise KeyTextMismatch(
                    f"{text!r} is not a key of {self.text!r}: {field.name} {error.reason}"
                ) from None
            # At a second place a lossy codec must not hide the value of an exact one.
            if field.name not in values or not field.codec.is_lossy:
                values[field.name] = value
        if len(values) < len(self._places) and self.render(values) != text:
            raise KeyTextMismatch(
                f"{text!r} is not a key of {self.text!r}: a field that occurs twice has two values"
            )
        return values

    # Prefixes and ranges.

    def prefix(self, values: Values) -> str:
        """Return how the keys with these leading values begin, the literal after them included.

        Other names are ignored. Raises PlanError if a field is bound after an unbound one, and
        KeyValueInvalid.
        """
        return self._written(values, self._bound_end(values))

    def prefix_ends_in_field(self, values: Collection[str]) -> bool:
        """Return whether keys with longer values would begin with ``prefix(values)`` too."""
        end = self._bound_end(values)
        last = self.parts[end - 1] if end else ""
        return isinstance(last, Field) and last.codec.width is None

    def prefix_within(self, values: Values, field: str, start: str) -> str:
        """Return how the keys begin whose ``field``, the first unbound one, begins with ``start``.

        For fields of text: the start is normalised and checked as a value is. Raises as above.
        """
        end, span = self._span(values, field)
        return self._written(values, end) + (span.field.encoded({field: start}) if start else "")

    def prefix_pieces(self, bound: Collection[str]) -> tuple[Piece | Choice, ...]:
        """Return the language of everything that begins with a prefix of these fields."""
        return (*pieces_of(self.parts[: self._bound_end(bound)]), ANY)

    def bounds(
        self, values: Values, field: str, low: Any, high: Any, *, is_low_open: bool = False
    ) -> tuple[str, str]:
        """Return the BETWEEN bounds of every key whose ``field`` is from low to high.

        ``field`` is the first that ``values`` leaves out. Both ends are included, unless
        ``is_low_open``; an end that is None is the end of the typed bounds. Raises PlanError if
        keys do not sort by the field. A low above the high gives bounds that DynamoDB refuses.
        """
        end, span = self._span(values, field)
        if not (span.is_kept or (low is None and high is None)):
            raise PlanError(f"keys of {self.text!r} do not sort by {field}")
        prefix = self._written(values, end)
        first = span.first if low is None else span.start(low, is_open=is_low_open)
        last = span.last if high is None else span.end(high)
        return prefix + first, prefix + last

    def typed_bounds(self, values: Values) -> tuple[str, str]:
        """Return the BETWEEN bounds of all keys after the bound prefix, by their next character.

        So ``{createdAt}#{id}`` lies between ``0`` and ``9~``: rows of other kinds in the same
        partition are not matched if their next character is of another kind.
        """
        end = self._bound_end(values)
        prefix = self._written(values, end)
        if end == len(self.parts):
            return prefix, prefix
        span = self._spans[end]
        return prefix + span.first, prefix + span.last

    def range_pieces(self, bound: Collection[str]) -> tuple[Piece | Choice, ...]:
        """Return the language of everything between the typed bounds after these fields."""
        end = self._bound_end(bound)
        pieces = pieces_of(self.parts[:end])
        return pieces if end == len(self.parts) else (*pieces, self._spans[end].piece, ANY)

    def is_order_kept(self, field: str) -> bool:
        """Return whether keys that are alike up to this field sort as its values do."""
        return self._spans[self._place(field)].is_kept

    # Internals.

    @cached_property
    def _format(self) -> str:
        return "".join(
            "%s" if isinstance(part, Field) else part.replace("%", "%%") for part in self.parts
        )

    @cached_property
    def _encoders(self) -> list[tuple[str, Callable[[Any], str]]]:
        return [(field.name, field.codec.encode) for field in self._places]

    @cached_property
    def _places(self) -> tuple[Field, ...]:
        return tuple(part for part in self.parts if isinstance(part, Field))

    @cached_property
    def _first_places(self) -> dict[str, int]:
        return {
            part.name: place
            for place, part in reversed(list(enumerate(self.parts)))
            if isinstance(part, Field)
        }

    @cached_property
    def _spans(self) -> dict[int, Span]:
        """What ranges need, by the place of their field."""
        return {
            place: span_of(self.parts[place:])
            for place, part in enumerate(self.parts)
            if isinstance(part, Field)
        }

    @cached_property
    def _match(self) -> Callable[[str], re.Match[str] | None]:
        pattern = ""
        groups: dict[tuple[str, str], int] = {}
        count = 0
        for part in self.parts:
            if isinstance(part, str):
                pattern += re.escape(part)
                continue
            count += 1
            # A repeated field has the same text.
            group = groups.setdefault((part.name, part.spec), count)
            pattern += f"({pattern_of(part.codec.pieces)})" if group == count else f"(\\{group})"
        return re.compile(pattern).fullmatch

    def _place(self, field: str) -> int:
        if field not in self._first_places:
            raise PlanError(f"{self.text!r} has no field {field}")
        return self._first_places[field]

    def _bound_end(self, bound: Collection[str]) -> int:
        """How many parts lie before the first field that is not bound."""
        free = None
        for name in self.fields:
            if free is None and name not in bound:
                free = name
            elif free is not None and name in bound:
                raise PlanError(f"{name} of {self.text!r} is bound, but {free} before it is not")
        return len(self.parts) if free is None else self._first_places[free]

    def _span(self, values: Values, field: str) -> tuple[int, Span]:
        """The place and the ranges of the first unbound field, which must be this one."""
        end = self._bound_end(values)
        span = self._spans.get(end)
        if span is None or span.field.name != field:
            raise PlanError(f"{field} is not the first unbound field of {self.text!r}")
        return end, span

    def _written(self, values: Values, end: int) -> str:
        """The first parts, with the values in their places."""
        return "".join(
            [part if isinstance(part, str) else part.encoded(values) for part in self.parts[:end]]
        )

    def _render_error(self, values: Values) -> KeyValueInvalid:
        for field in self._places:
            try:
                field.encoded(values)
            except KeyValueInvalid as error:
                return error
        raise AssertionError("rendering failed, but every field can be encoded")
