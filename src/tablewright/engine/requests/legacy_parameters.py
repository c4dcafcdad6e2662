"""Legacy parameters, rewritten as expressions.

Expected, QueryFilter, ScanFilter, KeyConditions, AttributeUpdates, AttributesToGet and
ConditionalOperator are validated with their own messages, then rewritten as equivalent expressions
with generated placeholders. The rest of the engine knows only expressions.

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
    "rewrite_legacy_parameters",
]

TYPE_MISMATCH: Final = "Type mismatch for attribute to update"
_INVALID: Final = "One or more parameter values were invalid: "

# Shapes. The operators are in the order in which AWS lists them.

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
# DynamoDB: the current message does not use the API's names.
CONDITIONAL_OPERATOR = String(choices=("OR", "AND"), current="ALL, OR", is_reported_alone=True)
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

# The operands of each operator.

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
_ARGUMENTS: Final = {"NULL": 0, "NOT_NULL": 0, "BETWEEN": 2}  # Others take one, IN takes several.
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
    """Raise ValidationError if a request mixes legacy parameters and expressions."""
    if old and new:
        raise ValidationError(
            "Can not use both expression and non-expression parameters in the same request: "
            f"Non-expression parameters: {{{', '.join(old)}}} "
            f"Expression parameters: {{{', '.join(new)}}}"
        )


def rewrite_legacy_parameters(
    request: Request, expressions: Sequence[str], legacy: Sequence[str]
) -> Request:
    """Return the request with its legacy parameters rewritten as expressions.

    Raises ValidationError for a mixture of both, and for invalid legacy parameters.
    """
    if request.keys().isdisjoint(legacy):
        return request
    old = [name for name in legacy if request.get(name) is not None]
    if not old:
        return request
    new = [name for name in expressions if request.get(name) is not None]
    # DynamoDB: KeyConditions can be mixed with any expression but KeyConditionExpression; pinned by
    # test_query_refusals.py::test_key_conditions_go_with_other_expressions.
    if "KeyConditionExpression" not in new:
        old = [name for name in old if name != "KeyConditions"]
    require_one_style(old, new)
    placeholders(request, *expressions)  # Raises if there is no expression.
    writer = _Writer(
        request.get("ExpressionAttributeNames") or {},
        request.get("ExpressionAttributeValues") or {},
    )
    declared = {name: request[name] for name in legacy if name in request}
    written = {expression: text for expression, text in _expressions(declared, writer) if text}
    rewritten = {**request, **written}
    if writer.names:
        rewritten["ExpressionAttributeNames"] = writer.names
    if writer.values:
        rewritten["ExpressionAttributeValues"] = writer.values
    return rewritten


def _expressions(request: Request, writer: _Writer) -> list[tuple[str, str]]:
    """The expressions, in the order in which DynamoDB validates the legacy parameters."""
    operator = request.get("ConditionalOperator")
    expressions = []
    if operator is not None:
        _require_several(request)
    for name, expression in (
        ("Expected", "ConditionExpression"),
        ("QueryFilter", "FilterExpression"),
        ("ScanFilter", "FilterExpression"),
    ):
        parameter = request.get(name)
        if parameter is not None:
            parse = _expected if name == "Expected" else _listed
            terms = [writer.term(key, *parse(key, entry)) for key, entry in parameter.items()]
            expressions.append((expression, f" {operator or 'AND'} ".join(terms)))
    for name, expression, write in (
        ("KeyConditions", "KeyConditionExpression", _key_condition),
        ("AttributeUpdates", "UpdateExpression", _update),
        ("AttributesToGet", "ProjectionExpression", _projection),
    ):
        parameter = request.get(name)
        if parameter is not None:
            expressions.append((expression, write(parameter, writer)))
    return expressions


def _require_several(request: Request) -> None:
    counts = [len(request.get(name) or ()) for name in ("Expected", "QueryFilter", "ScanFilter")]
    if not sum(counts):
        raise ValidationError("ConditionalOperator cannot be used without Filter or Expected")
    if sum(counts) == 1:
        raise ValidationError(
            "ConditionalOperator can only be used when Filter or Expected has two or more elements"
        )


class _Writer:
    """Writes terms of expressions, with a generated placeholder for every name and value."""

    def __init__(self, names: Mapping[str, str], values: Mapping[str, Value]) -> None:
        self.names = dict(names)
        self.values = dict(values)

    def name(self, attribute: str) -> str:
        require_name(attribute)
        placeholder = _unused_placeholder("#", self.names)
        self.names[placeholder] = attribute
        return placeholder

    def value(self, value: Value) -> str:
        placeholder = _unused_placeholder(":", self.values)
        self.values[placeholder] = value
        return placeholder

    def term(self, attribute: str, operator: str, values: Sequence[Value]) -> str:
        """One condition on one attribute."""
        name = self.name(attribute)
        operands = [self.value(value) for value in values]
        if operator in _COMPARISONS:
            return f"{name} {_COMPARISONS[operator]} {operands[0]}"
        return _TERMS[operator](name, operands)


def _unused_placeholder(sign: str, used: Mapping[str, object]) -> str:
    """A placeholder that the request does not use."""
    at = len(used)
    while f"{sign}l{at}" in used:
        at += 1
    return f"{sign}l{at}"


_TERMS: Final[dict[str, Callable[[str, list[str]], str]]] = {
    "NULL": lambda name, _: f"attribute_not_exists({name})",
    "NOT_NULL": lambda name, _: f"attribute_exists({name})",
    "BETWEEN": lambda name, operands: f"{name} BETWEEN {operands[0]} AND {operands[1]}",
    "IN": lambda name, operands: f"{name} IN ({', '.join(operands)})",
    "BEGINS_WITH": lambda name, operands: f"begins_with({name}, {operands[0]})",
    "CONTAINS": lambda name, operands: f"contains({name}, {operands[0]})",
    # DynamoDB: a missing attribute satisfies neither CONTAINS nor NOT_CONTAINS.
    "NOT_CONTAINS": lambda name, operands: (
        f"(attribute_exists({name}) AND NOT contains({name}, {operands[0]}))"
    ),
}


# Conditions.


def _expected(attribute: str, entry: Mapping[str, Any]) -> tuple[str, list[Value]]:
    """The operator and the values of an entry of Expected."""
    value, values = entry.get("Value"), entry.get("AttributeValueList")
    operator, exists = entry.get("ComparisonOperator"), entry.get("Exists")
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
        exists_text = "null" if exists is None else "true"
        raise _invalid(f"Value must be provided when Exists is {exists_text} {of}")
    return "EQ", [normalise(value)]


def _listed(_: str, entry: Mapping[str, Any]) -> tuple[str, list[Value]]:
    """The operator and the values of a filter or key condition."""
    operator = entry["ComparisonOperator"]
    return operator, _checked(operator, entry.get("AttributeValueList"))


def _checked(operator: str, listed: Sequence[Value] | None) -> list[Value]:
    """The normalised values; raises ValidationError for a wrong number or wrong types."""
    values = [normalise(value) for value in listed or ()]
    count = _ARGUMENTS.get(operator, 1)
    if len(values) != count and not (operator == "IN" and values):
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


def _key_condition(conditions: Mapping[str, Any], writer: _Writer) -> str:
    if not conditions:
        raise ValidationError("Conditions must be at least length 1")
    parsed = {
        attribute: _listed(attribute, condition) for attribute, condition in conditions.items()
    }
    for operator, _ in parsed.values():
        if operator not in _INDEXABLE:
            raise ValidationError("Attempted conditional constraint is not an indexable operation")
    return " AND ".join(
        writer.term(attribute, *condition) for attribute, condition in parsed.items()
    )


# Updates and projections.


def _update(updates: Mapping[str, Any], writer: _Writer) -> str:
    sections: dict[str, list[str]] = {"SET": [], "REMOVE": [], "ADD": [], "DELETE": []}
    for attribute, entry in updates.items():
        action, value = entry.get("Action") or "PUT", entry.get("Value")
        if value is None:
            if action != "DELETE":
                raise _invalid("Only DELETE action is allowed when no attribute value is specified")
            sections["REMOVE"].append(writer.name(attribute))
            continue
        type_ = next(iter(normalise(value)))
        _require_action(action, type_)
        name, placeholder = writer.name(attribute), writer.value(value)
        if action == "PUT":
            sections["SET"].append(f"{name} = {placeholder}")
        elif action == "ADD" and type_ == "L":
            empty = writer.value({"L": []})
            appended = f"list_append(if_not_exists({name}, {empty}), {placeholder})"
            sections["SET"].append(f"{name} = {appended}")
        else:
            sections[action].append(f"{name} {placeholder}")
    return " ".join(f"{name} {', '.join(terms)}" for name, terms in sections.items() if terms)


def _require_action(action: str, type_: str) -> None:
    if action == "ADD" and type_ not in ("N", "SS", "NS", "BS", "L"):
        raise _invalid(f"ADD action is not supported for the type {_TYPE_NAMES[type_]}")
    if action == "DELETE" and type_ not in ("SS", "NS", "BS"):
        raise _invalid(
            f"DELETE action with value is not supported for the type {_TYPE_NAMES[type_]}"
        )


def _projection(names: Sequence[str], writer: _Writer) -> str:
    listed: set[str] = set()
    for name in names:
        if name in listed:
            raise _invalid(f"Duplicate value in attribute name: {name}")
        listed.add(name)
    return ", ".join(writer.name(name) for name in names)


def _invalid(detail: str) -> ValidationError:
    return ValidationError(_INVALID + detail)
