"""The kinds of field that requests are made of, as types for pydantic models.

    name: Annotated[str, Line(1, 80)]       one line, trimmed
    note: Annotated[str, Text(0, 2000)]     lines and tabs, trimmed
    content: Annotated[str, Raw(1, 200)]    the same, kept as it is
    minutes: Annotated[int, Int(0, 1440)]   no strings, booleans or fractions
    at: Time · day: Day · id: UuidText · UlidText · UserId · Email · Url

In requests null, and for optional text the empty string, equal absent (`Body`); in a PATCH they
remove (`PatchBody`). Unknown fields are refused everywhere.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import UTC, date, datetime
from functools import cache
from types import NoneType, UnionType
from typing import (
    Annotated,
    Any,
    ClassVar,
    Final,
    Generic,
    Literal,
    Self,
    TypeVar,
    Union,
    get_args,
    get_origin,
)
from urllib.parse import urlsplit

from pydantic import (
    BaseModel,
    BeforeValidator,
    ConfigDict,
    GetCoreSchemaHandler,
    GetJsonSchemaHandler,
    PlainSerializer,
    SerializationInfo,
    TypeAdapter,
    ValidationError,
    WithJsonSchema,
    model_validator,
)
from pydantic.alias_generators import to_camel
from pydantic_core import CoreSchema, PydanticCustomError, core_schema

from tablewright.design.item_values import time_text

A = TypeVar("A")

__all__ = [
    "Answer",
    "BlobUrl",
    "Body",
    "Day",
    "Email",
    "Flag",
    "Int",
    "IntOf",
    "Line",
    "ListOf",
    "Number",
    "OneOf",
    "PatchBody",
    "QueryParameters",
    "Raw",
    "Several",
    "Text",
    "Time",
    "UlidText",
    "Url",
    "UserId",
    "UuidText",
    "lower_address",
]

# Half a surrogate pair is no text either: no UTF-8 can hold it.
_DIGITS_MAX: Final = 15
_CONTROL: Final = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff]")
_CONTROL_BUT_LINES: Final = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff]")


def wrong(message: str) -> PydanticCustomError:
    """An error with exactly this message."""
    return PydanticCustomError("invalid", message)


class _Checked:
    """A kind of field: a check in Python, and what it looks like in JSON Schema."""

    schema: dict[str, Any]

    def check(self, value: Any) -> Any:
        raise NotImplementedError

    def __get_pydantic_core_schema__(
        self, source: Any, handler: GetCoreSchemaHandler
    ) -> CoreSchema:
        return core_schema.no_info_plain_validator_function(self.check)

    def __get_pydantic_json_schema__(
        self, schema: CoreSchema, handler: GetJsonSchemaHandler
    ) -> dict[str, Any]:
        return dict(self.schema)


class Line(_Checked):
    """One line of text, trimmed, from so many to so many characters."""

    pattern: re.Pattern[str] = _CONTROL
    is_trimmed = True
    message = "must be one line without control characters"

    def __init__(self, low: int, high: int) -> None:
        self.low = low
        self.high = high
        self.schema = {"type": "string", "minLength": low, "maxLength": high}

    def check(self, value: Any) -> str:
        if not isinstance(value, str):
            raise wrong("must be text")
        text = value.strip() if self.is_trimmed else value
        if self.pattern.search(text):
            raise wrong(self.message)
        if not self.low <= len(text) <= self.high:
            raise wrong(f"must have {self.low} to {self.high} characters")
        return text


class Text(Line):
    """Text with lines and tabs, trimmed."""

    pattern = _CONTROL_BUT_LINES
    message = "must not have control characters"


class Raw(Text):
    """Text that is kept as it is."""

    is_trimmed = False


class Int(_Checked):
    """A whole number in a range; strings, booleans and fractions are refused."""

    def __init__(self, low: int, high: int) -> None:
        self.low = low
        self.high = high
        self.schema = {"type": "integer", "minimum": low, "maximum": high}

    def check(self, value: Any) -> int:
        if not isinstance(value, int) or isinstance(value, bool):
            raise wrong("must be a whole number")
        if not self.low <= value <= self.high:
            raise wrong(f"must be from {self.low} to {self.high}")
        return value


class IntOf(_Checked):
    """One of some whole numbers. A ``Literal`` of numbers would let true and 1.0 through."""

    def __init__(self, *choices: int) -> None:
        self.choices = choices
        self.schema = {"type": "integer", "enum": list(choices)}

    def check(self, value: Any) -> int:
        if not isinstance(value, int) or isinstance(value, bool) or value not in self.choices:
            raise wrong(f"must be one of {', '.join(map(str, self.choices))}")
        return value


class Number(Int):
    """A whole number in the text of a query."""

    def check(self, value: Any) -> int:
        if isinstance(value, int):  # A default.
            return value
        digits = value.removeprefix("-")
        is_number = digits.isascii() and digits.isdigit() and len(digits) <= _DIGITS_MAX
        if not is_number or not self.low <= int(value) <= self.high:
            raise wrong(f"must be a whole number from {self.low} to {self.high}")
        return int(value)


class _Flag(_Checked):
    """``true`` or ``false`` in the text of a query."""

    def __init__(self) -> None:
        self.schema = {"type": "boolean"}

    def check(self, value: Any) -> bool:
        if value not in ("true", "false"):
            raise wrong("must be one of true, false")
        return bool(value == "true")


Flag = Annotated[bool, _Flag()]


class OneOf(_Checked):
    """One of a few texts, in a query."""

    def __init__(self, *choices: str) -> None:
        self.choices = choices
        self.schema = {"type": "string", "enum": list(choices)}

    def check(self, value: Any) -> str:
        if value not in self.choices:
            raise wrong(f"must be one of {', '.join(self.choices)}")
        return str(value)


class Several(_Checked):
    """Values with commas between them, in the text of a query."""

    def __init__(self, kind: Any, low: int, high: int) -> None:
        self._kind: TypeAdapter[Any] = TypeAdapter(kind)
        self.low = low
        self.high = high
        self.schema = {"type": "string"}

    def check(self, value: Any) -> list[Any]:
        parts = [part.strip() for part in value.split(",")]
        if not self.low <= len(parts) <= self.high:
            raise wrong(f"must have {self.low} to {self.high} values")
        try:
            return [self._kind.validate_python(part) for part in parts]
        except ValidationError as error:
            raise wrong(error.errors(include_url=False)[0]["msg"]) from None


class _Pattern(_Checked):
    """Text of one form."""

    def __init__(
        self, form: str, message: str, *, normalize: Callable[[str], str] = str, **schema: Any
    ) -> None:
        self._match = re.compile(form).fullmatch
        self._message = message
        self._normalize = normalize
        self.schema = {"type": "string", **schema}

    def check(self, value: Any) -> str:
        if not isinstance(value, str):
            raise wrong("must be text")
        text = self._normalize(value)
        if not self._match(text):
            raise wrong(self._message)
        return text


UUID_PATTERN: Final = "[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}"
ULID_PATTERN: Final = "[0-7][0-9A-HJKMNP-TV-Z]{25}"
USER_ID_PATTERN: Final = r"[A-Za-z0-9][A-Za-z0-9_.:@|=+-]{0,127}"
_EMAIL_PART: Final = r"[^\s@#\x00-\x1f\x7f-\x9f]+"
EMAIL_PATTERN: Final = rf"{_EMAIL_PART}@{_EMAIL_PART}\.{_EMAIL_PART}"

UuidText = Annotated[str, _Pattern(UUID_PATTERN, "must be a UUID", format="uuid")]
UlidText = Annotated[str, _Pattern(ULID_PATTERN, "must be a ULID", pattern=f"^{ULID_PATTERN}$")]
UserId = Annotated[
    str, _Pattern(USER_ID_PATTERN, "must be a user id", pattern=f"^{USER_ID_PATTERN}$")
]


def lower_address(address: str) -> str:
    """An e-mail address in lower case, so that different addresses stay different.

    A few characters become a letter that is not their own, as the sign for Kelvin becomes "k". They
    stay as they are, or one person could take the address of another.
    """
    if address.isascii():
        return address.lower()
    return "".join(small if (small := char.lower()).upper() == char else char for char in address)


Email = Annotated[
    str,
    _Pattern(
        rf"(?=.{{3,254}}$){EMAIL_PATTERN}",
        "must be an e-mail address",
        normalize=lower_address,
        format="email",
        minLength=3,
        maxLength=254,
    ),
]


def _url(value: Any) -> str:
    if not isinstance(value, str):
        raise wrong("must be text")
    text = value.strip()
    try:
        parts = urlsplit(text)
        is_good = parts.scheme in ("http", "https") and bool(parts.hostname)
        _ = parts.port
    except ValueError:
        is_good = False
    if not is_good or len(text) > 2048 or re.search(r"[\s\x00-\x1f\x7f]", text):
        raise wrong("must be an absolute http or https URL")
    return text


Url = Annotated[
    str,
    BeforeValidator(_url),
    WithJsonSchema({"type": "string", "format": "uri", "maxLength": 2048}),
]

_TIME: Final = re.compile(
    r"(\d{4}-\d\d-\d\d)[Tt](\d\d:\d\d:\d\d)(\.\d{1,9})?([Zz]|[+-]\d\d:[0-5]\d)"
).fullmatch


def _time(value: Any) -> datetime:
    if isinstance(value, datetime):
        return value
    match = _TIME(value) if isinstance(value, str) else None
    if match is None:
        raise wrong("must be a time with Z or an offset")
    day, clock, fraction, zone = match.groups()
    millis = (fraction or ".0")[1:4].ljust(3, "0")
    try:
        moment = datetime.fromisoformat(
            f"{day}T{clock}.{millis}{zone.upper().replace('Z', '+00:00')}"
        )
        return moment.astimezone(UTC)
    except (ValueError, OverflowError):
        raise wrong("must be a real time") from None


def _day(value: Any) -> date:
    if isinstance(value, date) and not isinstance(value, datetime):
        return value
    if not isinstance(value, str) or not re.fullmatch(r"\d{4}-\d\d-\d\d", value, re.ASCII):
        raise wrong("must be a day as YYYY-MM-DD")
    try:
        return date.fromisoformat(value)
    except ValueError:
        raise wrong("must be a real day") from None


Time = Annotated[
    datetime,
    BeforeValidator(_time),
    PlainSerializer(time_text, return_type=str, when_used="json"),
    WithJsonSchema({"type": "string", "format": "date-time"}),
]
Day = Annotated[date, BeforeValidator(_day), WithJsonSchema({"type": "string", "format": "date"})]


def _as_url(key: str, info: SerializationInfo) -> str:
    url: str = info.context(key) if info.context else key
    return url


# The key of a blob, which is a URL in the answer that is sent. A URL is valid only for a while, so
# an answer that is stored for a repeated request keeps the key.
BlobUrl = Annotated[str, PlainSerializer(_as_url, return_type=str)]


class _Shape(BaseModel):
    model_config = ConfigDict(
        alias_generator=to_camel,
        validate_by_name=False,
        validate_by_alias=True,
        extra="forbid",
        strict=True,
        frozen=True,
        defer_build=True,  # By the first request that needs it: a fifth of a server's start.
    )


class Body(_Shape):
    """A request body. Null equals absent; so does empty text, in a field that is optional."""

    @model_validator(mode="before")
    @classmethod
    def _without_nothing(cls, given: Any) -> Any:
        if not isinstance(given, dict):
            return given
        known, texts = _names(cls), _optional_texts(cls)
        return {
            name: value
            for name, value in given.items()
            # A field that does not exist is one too many, null or not.
            if (value is not None or name not in known) and not (value == "" and name in texts)
        }


def with_example(**values: Any) -> ConfigDict:
    """The config of a body whose rules span fields: an example, which a schema cannot give."""
    return ConfigDict(json_schema_extra={"examples": [values]})


class PatchBody(_Shape):
    """The body of a PATCH. What is absent stays, null removes; an empty object is refused.

    Whether a field was sent is in ``model_fields_set``.
    """

    @model_validator(mode="before")
    @classmethod
    def _with_removals(cls, given: Any) -> Any:
        if not isinstance(given, dict):
            return given
        if not given:
            raise wrong("must change something")
        texts = _optional_texts(cls)
        return {
            name: None if value == "" and name in texts else value for name, value in given.items()
        }


class Answer(_Shape):
    """What an endpoint answers: optional fields without a value are null."""

    model_config = ConfigDict(validate_by_name=True, strict=False, from_attributes=True)

    # Whether fields that were never set are left out, instead of being null.
    leaves_out_unset: ClassVar[bool] = False
    # Whether rows have parts of it as JSON, by its aliases. To look for aliases that a row does
    # not have takes half of the time, so that is not done elsewhere.
    is_of_json: ClassVar[bool] = False

    @classmethod
    def of(cls, row: Any, **more: Any) -> Self:
        """The answer for a row: its fields of the same names, and ``more``."""
        values = row
        if more:
            names = cls.model_fields.keys() - more.keys()
            values = {name: getattr(row, name) for name in names} | more
        return cls.model_validate(values, by_alias=cls.is_of_json, by_name=True)

    @property
    def etag_version(self) -> int | None:
        """The version of the one entity that is shown, if it can be changed."""
        version: int | None = getattr(self, "version", None)
        return version

    def to_json(self, read_url: Callable[[str], str] | None = None) -> bytes:
        """The answer as JSON; with ``read_url`` a `BlobUrl` is a URL, and else its key."""
        return self.__pydantic_serializer__.to_json(
            self, by_alias=True, exclude_unset=self.leaves_out_unset, context=read_url
        )


class ListOf(Answer, Generic[A]):
    """One page of a list, and the cursor of the next."""

    items: list[A]
    cursor: str | None = None


class QueryParameters(_Shape):
    """The query of a request. An empty parameter equals an absent one; unknown ones are ignored."""

    model_config = ConfigDict(extra="ignore", strict=False)

    @model_validator(mode="before")
    @classmethod
    def _without_nothing(cls, given: Any) -> Any:
        return {name: value for name, value in given.items() if value != ""}


@cache
def _names(model: type[BaseModel]) -> frozenset[str]:
    """The names, in JSON, of all fields."""
    return frozenset(about.alias or name for name, about in model.model_fields.items())


@cache
def _optional_texts(model: type[BaseModel]) -> frozenset[str]:
    """The names, in JSON, of the fields that are text there and may be left out."""
    return frozenset(
        about.alias or name
        for name, about in model.model_fields.items()
        if not about.is_required() and _is_text(about.annotation)
    )


def _is_text(annotation: Any) -> bool:
    """Whether a field holds text, or what is text in JSON, or nothing."""
    origin = get_origin(annotation)
    if origin is Annotated:
        return _is_text(get_args(annotation)[0])
    if origin in (Union, UnionType):
        return all(_is_text(part) for part in get_args(annotation) if part is not NoneType)
    if origin is Literal:
        return all(isinstance(choice, str) for choice in get_args(annotation))
    return annotation in (str, date, datetime)
