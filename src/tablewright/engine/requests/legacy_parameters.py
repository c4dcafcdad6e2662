"""The parameters that expressions have replaced, told as expressions.

Expected, QueryFilter, ScanFilter, KeyConditions, AttributeUpdates, AttributesToGet and
ConditionalOperator are checked in their own words, then written down as the expression that means
the same, with placeholders of its own. Everything behind `modernised` knows expressions alone.

    {"Expected": {"n": {"ComparisonOperator": "GT", "AttributeValueList": [{"N": "5"}]}}}
    {"ConditionExpression": "#l0 > :l1", "ExpressionAttributeNames": {"#l0": "n"}, …}
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

from tablewright.engine.requests.api_operation import Request
from tablewright.engine.requests.placeholders import placeholders
from tablewright.engine.requests.shapes import Attribute, Boolean, List, Map, String, Structure
from tablewright.errors import ValidationError
from tablewright.values.attributes import Value, normalise, require_name
from tablewright.values.keybytes import encode

__all__ = [
    "ATTRIBUTES_TO_GET",
    "ATTRIBUTE_UPDATES",
    "CONDITIONAL_OPERATOR",
    "EXPECTED",
    "FILTER",
    "TYPE_MISMATCH",
    "modernised",
]

TYPE_MISMATCH: Final = "Type mismatch for attribute to update"
_INVALID: Final = "One or more parameter values were invalid: "

# Shapes. The operators stand in the order in which AWS prints them.

_OPERATORS: Final = (
    "IN",
    "NULL",
    "BETWEEN",
    "LT",
    "NOT_CONTAINS",
    "EQ",
    "GT",
    "NOT_NULL",
    "NE",
    "LE",
    "BEGINS_WITH",
    "GE",
    "CONTAINS",
)
ATTRIBUTES_TO_GET = List(String(), length=(1, None))
# DynamoDB: the current words are not those of the API.
CONDITIONAL_OPERATOR = String(choices=("OR", "AND"), current="ALL, OR", tells_alone=True)
EXPECTED = Map(
    Structure(
        named="ExpectedAttributeValue",
        Value=Attribute(),
        Exists=Boolean(),
        ComparisonOperator=String(choices=_OPERATORS),
        AttributeValueList=List(Attribute()),
    )
)
FILTER = Map(
    Structure(
        named="Condition",
        AttributeValueList=List(Attribute()),
        ComparisonOperator=String(required=True, choices=_OPERATORS),
    )
)
ATTRIBUTE_UPDATES = Map(
    Structure(
        named="AttributeValueUpdate",
        Value=Attribute(),
        Action=String(choices=("ADD", "PUT", "DELETE")),
    )
)

# What an operator takes.

_SCALARS: Final = frozenset("SNB")
_TYPES: Final[dict[str, frozenset[str]]] = {
    "LT": _SCALARS,
    "LE": _SCALARS,
    "GT": _SCALARS,
    "GE": _SCALARS,
    "IN": _SCALARS,
    "BETWEEN": _SCALARS,
    "BEGINS_WITH": frozenset("SB"),
    "CONTAINS": _SCALARS | {"BOOL", "NULL"},
    "NOT_CONTAINS": _SCALARS | {"BOOL", "NULL"},
}
_ARGUMENTS: Final = {"NULL": 0, "NOT_NULL": 0, "BETWEEN": 2}  # Others take one, IN some.
_COMPARISONS: Final = {"EQ": "=", "NE": "<>", "LT": "<", "LE": "<=", "GT": ">", "GE": ">="}
_INDEXABLE: Final = {"EQ", "LE", "LT", "GE", "GT", "BEGINS_WITH", "BETWEEN"}
_TYPE_NAMES: Final = {
    "S": "STRING",
    "N": "NUMBER",
    "B": "BINARY",
    "BOOL": "BOOLEAN",
    "NULL": "NULL",
    "SS": "STRING_SET",
    "NS": "NUMBER_SET",
    "BS": "BINARY_SET",
    "L": "LIST",
    "M": "MAP",
}


def require_one_style(old: Sequence[str], new: Sequence[str]) -> None:
    """Raise ValidationError if a request has parameters of old and expressions."""
    if old and new:
        raise ValidationError(
            "Can not use both expression and non-expression parameters in the same request: "
            f"Non-expression parameters: {{{', '.join(old)}}} "
            f"Expression parameters: {{{', '.join(new)}}}"
        )


def modernised(request: Request, expressions: Sequence[str], legacy: Sequence[str]) -> Request:
    """A request that says with expressions what it said with parameters of old.

    Raises ValidationError for a mixture of both, and for what the old ones do not allow.
    """
    if request.keys().isdisjoint(legacy):
        return request
    old = [name for name in legacy if request.get(name) is not None]
    if not old:
        return request
    new = [name for name in expressions if request.get(name) is not None]
    # DynamoDB: KeyConditions go with every expression but the one in their own place; pinned by
    # test_query_refusals.py::test_key_conditions_go_with_other_expressions.
    if "KeyConditionExpression" not in new:
        old = [name for name in old if name != "KeyConditions"]
    require_one_style(old, new)
    placeholders(request, *expressions)  # Refused if there is no expression that could use them.
    writer = _Writer(
        request.get("ExpressionAttributeNames") or {},
        request.get("ExpressionAttributeValues") or {},
    )
    declared = {name: request[name] for name in legacy if name in request}
    told = {expression: text for expression, text in _told(declared, writer) if text}
    made = {**request, **told}
    if writer.names:
        made["ExpressionAttributeNames"] = writer.names
    if writer.values:
        made["ExpressionAttributeValues"] = writer.values
    return made


def _told(request: Request, writer: _Writer) -> list[tuple[str, str]]:
    """The expressions, in the order in which DynamoDB looks at what they are made of."""
    joined = request.get("ConditionalOperator")
    told = []
    if joined is not None:
        _require_several(request)
    for name, expression in (
        ("Expected", "ConditionExpression"),
        ("QueryFilter", "FilterExpression"),
        ("ScanFilter", "FilterExpression"),
    ):
        given = request.get(name)
        if given is not None:
            read = _expected if name == "Expected" else _listed
            terms = [writer.term(key, *read(key, one)) for key, one in given.items()]
            told.append((expression, f" {joined or 'AND'} ".join(terms)))
    for name, expression, write in (
        ("KeyConditions", "KeyConditionExpression", _key_condition),
        ("AttributeUpdates", "UpdateExpression", _update),
        ("AttributesToGet", "ProjectionExpression", _projection),
    ):
        given = request.get(name)
        if given is not None:
            told.append((expression, write(given, writer)))
    return told


def _require_several(request: Request) -> None:
    counts = [len(request.get(name) or ()) for name in ("Expected", "QueryFilter", "ScanFilter")]
    if not sum(counts):
        raise ValidationError("ConditionalOperator cannot be used without Filter or Expected")
    if sum(counts) == 1:
        raise ValidationError(
            "ConditionalOperator can only be used when Filter or Expected has two or more elements"
        )


class _Writer:
    """Writes terms of expressions, with a placeholder of its own for every name and value."""

    def __init__(self, names: Mapping[str, str], values: Mapping[str, Value]) -> None:
        self.names = dict(names)
        self.values = dict(values)

    def name(self, attribute: str) -> str:
        require_name(attribute)
        placeholder = _free("#", self.names)
        self.names[placeholder] = attribute
        return placeholder

    def value(self, value: Value) -> str:
        placeholder = _free(":", self.values)
        self.values[placeholder] = value
        return placeholder

    def term(self, attribute: str, operator: str, values: Sequence[Value]) -> str:
        """One condition on one attribute."""
        name = self.name(attribute)
        given = [self.value(value) for value in values]
        if operator in _COMPARISONS:
            return f"{name} {_COMPARISONS[operator]} {given[0]}"
        return _TERMS[operator](name, given)


def _free(sign: str, taken: Mapping[str, object]) -> str:
    """A placeholder that the request has not."""
    at = len(taken)
    while f"{sign}l{at}" in taken:
        at += 1
    return f"{sign}l{at}"


_TERMS: Final[dict[str, Callable[[str, list[str]], str]]] = {
    "NULL": lambda name, _: f"attribute_not_exists({name})",
    "NOT_NULL": lambda name, _: f"attribute_exists({name})",
    "BETWEEN": lambda name, given: f"{name} BETWEEN {given[0]} AND {given[1]}",
    "IN": lambda name, given: f"{name} IN ({', '.join(given)})",
    "BEGINS_WITH": lambda name, given: f"begins_with({name}, {given[0]})",
    "CONTAINS": lambda name, given: f"contains({name}, {given[0]})",
    # DynamoDB: what is not there contains nothing, but does not "not contain" it either.
    "NOT_CONTAINS": lambda name, given: (
        f"(attribute_exists({name}) AND NOT contains({name}, {given[0]}))"
    ),
}


# Conditions.


def _expected(attribute: str, given: Mapping[str, Any]) -> tuple[str, list[Value]]:
    """The operator and the values of what is expected of an attribute."""
    value, values = given.get("Value"), given.get("AttributeValueList")
    operator, exists = given.get("ComparisonOperator"), given.get("Exists")
    of = f"for Attribute: {attribute}"
    if value is not None and values is not None:
        raise _invalid(f"Value and AttributeValueList cannot be used together {of}")
    if operator is not None:
        if exists is not None:
            raise _invalid(f"Exists and ComparisonOperator cannot be used together {of}")
        if value is None and values is None and operator not in ("NULL", "NOT_NULL"):
            raise _invalid(
                f"Value or AttributeValueList must be used with ComparisonOperator: {operator} {of}"
            )
        return operator, _checked(operator, values if value is None else [value])
    if values is not None:
        raise _invalid(f"AttributeValueList can only be used with a ComparisonOperator {of}")
    if exists is False:
        if value is not None:
            raise _invalid(f"Value cannot be used when Exists is false {of}")
        return "NULL", []
    if value is None:
        told = "null" if exists is None else "true"
        raise _invalid(f"Value must be provided when Exists is {told} {of}")
    return "EQ", [normalise(value)]


def _listed(_: str, given: Mapping[str, Any]) -> tuple[str, list[Value]]:
    """The operator and the values of a condition in a filter or on a key."""
    operator = given["ComparisonOperator"]
    return operator, _checked(operator, given.get("AttributeValueList"))


def _checked(operator: str, given: Sequence[Value] | None) -> list[Value]:
    """The values, as many and of such types as the operator takes."""
    values = [normalise(value) for value in given or ()]
    wanted = _ARGUMENTS.get(operator, 1)
    if len(values) != wanted and not (operator == "IN" and values):
        raise _invalid(f"Invalid number of argument(s) for the {operator} ComparisonOperator")
    types = [next(iter(value)) for value in values]
    allowed = _TYPES.get(operator)
    for type_ in types:
        if allowed is not None and type_ not in allowed:
            raise _invalid(
                f"ComparisonOperator {operator} is not valid for {type_} AttributeValue type"
            )
    if len(set(types)) > 1:
        raise _invalid("AttributeValues inside AttributeValueList must be of same type")
    if operator == "BETWEEN":
        low, high = (encode(types[0], value[types[0]]) for value in values)
        if low > high:
            raise ValidationError(
                "The BETWEEN condition was provided a range where the lower bound is greater than "
                "the upper bound"
            )
    return values


def _key_condition(given: Mapping[str, Any], writer: _Writer) -> str:
    if not given:
        raise ValidationError("Conditions must be at least length 1")
    read = {attribute: _listed(attribute, one) for attribute, one in given.items()}
    for operator, _ in read.values():
        if operator not in _INDEXABLE:
            raise ValidationError("Attempted conditional constraint is not an indexable operation")
    return " AND ".join(writer.term(attribute, *one) for attribute, one in read.items())


# Updates and projections.


def _update(given: Mapping[str, Any], writer: _Writer) -> str:
    sections: dict[str, list[str]] = {"SET": [], "REMOVE": [], "ADD": [], "DELETE": []}
    for attribute, one in given.items():
        action, value = one.get("Action") or "PUT", one.get("Value")
        if value is None:
            if action != "DELETE":
                raise _invalid("Only DELETE action is allowed when no attribute value is specified")
            sections["REMOVE"].append(writer.name(attribute))
            continue
        type_ = next(iter(normalise(value)))
        _require_action(action, type_)
        name, held = writer.name(attribute), writer.value(value)
        if action == "PUT":
            sections["SET"].append(f"{name} = {held}")
        elif action == "ADD" and type_ == "L":
            empty = writer.value({"L": []})
            appended = f"list_append(if_not_exists({name}, {empty}), {held})"
            sections["SET"].append(f"{name} = {appended}")
        else:
            sections[action].append(f"{name} {held}")
    return " ".join(f"{name} {', '.join(terms)}" for name, terms in sections.items() if terms)


def _require_action(action: str, type_: str) -> None:
    if action == "ADD" and type_ not in ("N", "SS", "NS", "BS", "L"):
        raise _invalid(f"ADD action is not supported for the type {_TYPE_NAMES[type_]}")
    if action == "DELETE" and type_ not in ("SS", "NS", "BS"):
        raise _invalid(
            f"DELETE action with value is not supported for the type {_TYPE_NAMES[type_]}"
        )


def _projection(given: Sequence[str], writer: _Writer) -> str:
    seen: set[str] = set()
    for name in given:
        if name in seen:
            raise _invalid(f"Duplicate value in attribute name: {name}")
        seen.add(name)
    return ", ".join(writer.name(name) for name in given)


def _invalid(detail: str) -> ValidationError:
    return ValidationError(_INVALID + detail)
