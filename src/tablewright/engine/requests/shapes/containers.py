"""Shapes of lists, maps and structures."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from tablewright.engine.requests.shapes.scalars import (
    Accepts,
    Shape,
    String,
    length_bounds,
    length_constraints,
)
from tablewright.engine.requests.shapes.wording import (
    MISPLACED_MAP,
    MODEL,
    NOT_NULL,
    Path,
    Violations,
    sentence,
)
from tablewright.errors import SerializationError


class List(Shape):
    """A list whose elements all have one shape."""

    java = "java.util.List"

    def __init__(
        self,
        of: Shape,
        required: bool = False,
        length: tuple[int | None, int | None] | None = None,
    ) -> None:
        self.of = of
        self.length = length
        super().__init__(required)

    def _compile(self) -> Accepts:
        accept_all = self.of.compile_all()
        low, high = length_bounds(self.length)
        return lambda value: type(value) is list and low <= len(value) <= high and accept_all(value)

    def require_types(self, value: Any) -> None:
        if type(value) is dict:
            raise SerializationError(MISPLACED_MAP)
        if type(value) is not list:
            raise SerializationError("Unexpected field type")
        for element in value:
            if element is not None:
                self.of.require_types(element)

    def declared(self, value: Any) -> Any:
        return [self.of.declared(element) for element in value]

    def text(self, value: Any) -> str:
        return f"[{', '.join(_element_texts(self.of, value))}]"

    def constraints(self) -> Iterator[tuple[str, Accepts]]:
        return length_constraints(self.length)

    def find_nested(self, value: Any, path: Path, violations: Violations) -> None:
        elements = ((path.member(at), item) for at, item in enumerate(value, start=1))
        _find_in_elements(self, "Member", value, path, elements, violations)


class Map(Shape):
    """An object with free names and values of one shape; ``key`` constrains the names."""

    def __init__(
        self,
        of: Shape,
        required: bool = False,
        length: tuple[int | None, int | None] | None = None,
        key: String | None = None,
    ) -> None:
        self.of = of
        self.length = length
        self.key = key
        self.java = f"java.util.Map<java.lang.String, {of.java}>"
        super().__init__(required)

    def _compile(self) -> Accepts:
        accept_all = self.of.compile_all()
        low, high = length_bounds(self.length)
        key_accepts = None if self.key is None else self.key.accepts

        def fits(value: Any) -> bool:
            if type(value) is not dict or not low <= len(value) <= high:
                return False
            if key_accepts is not None and not all(map(key_accepts, value)):
                return False
            return accept_all(value.values())

        return fits

    def require_types(self, value: Any) -> None:
        if type(value) is list:
            raise SerializationError(f"Unrecognized collection type {self.java}")
        if type(value) is not dict:
            raise SerializationError("Unexpected field type")
        for member in value.values():
            if member is not None:
                self.of.require_types(member)

    def declared(self, value: Any) -> Any:
        return {name: self.of.declared(member) for name, member in value.items()}

    def text(self, value: Any) -> str:
        texts = zip(value, _element_texts(self.of, value.values()), strict=True)
        return f"{{{', '.join(f'{name}={text}' for name, text in texts)}}}"

    def constraints(self) -> Iterator[tuple[str, Accepts]]:
        return length_constraints(self.length)

    def find_nested(self, value: Any, path: Path, violations: Violations) -> None:
        if self.key is not None and not all(map(self.key.accepts, value)):
            constraint = f"Map keys must satisfy constraint: [{listed(self.key)}]"
            violations.append(sentence(self.text(value), path, constraint))
        members = ((path.member(name), item) for name, item in value.items())
        _find_in_elements(self, "Map value", value, path, members, violations)


class Structure(Shape):
    """An object with declared fields; ``named`` is AWS's name for it."""

    def __init__(self, required: bool = False, named: str = "", **fields: Shape) -> None:
        self.fields = fields
        self.named = named
        self.java = MODEL + named
        super().__init__(required)

    def _compile(self) -> Accepts:
        tests = {name: field.accepts for name, field in self.fields.items()}
        required = frozenset(name for name, field in self.fields.items() if field.required)

        def fits(value: Any) -> bool:
            if type(value) is not dict:
                return False
            for name, member in value.items():
                test = tests.get(name)
                if test is not None and not test(member):
                    return False
            return required <= value.keys()

        return fits

    def require_types(self, value: Any) -> None:
        if type(value) is list:
            raise SerializationError(f"Unrecognized collection type class {self.java}")
        if type(value) is not dict:
            raise SerializationError("Unexpected value type in payload")
        for name, member in value.items():
            field = self.fields.get(name)
            if field is not None and member is not None:
                field.require_types(member)

    def declared(self, value: Any) -> Any:
        return {
            name: field.declared(value[name])
            for name, field in self.fields.items()
            if value.get(name) is not None
        }

    def text(self, value: Any) -> str:
        members = ((name, field, value.get(name)) for name, field in self.fields.items())
        texts = (
            f"{Path().field(name).lowered}={'null' if member is None else field.text(member)}"
            for name, field, member in members
        )
        return f"{self.named}({', '.join(texts)})"

    def lacks(self, value: Any) -> bool:
        """Whether a required field is missing."""
        return any(f.required and value.get(name) is None for name, f in self.fields.items())

    def find_nested(self, value: Any, path: Path, violations: Violations) -> None:
        for name, field in self.fields.items():
            member = value.get(name)
            if member is not None:
                field.find_problems(member, path.field(name), violations)
            elif field.required:
                violations.append(sentence(None, path.field(name), NOT_NULL))


def _find_in_elements(
    container: List | Map,
    noun: str,
    whole: Any,
    path: Path,
    elements: Iterable[tuple[Path, Any]],
    violations: Violations,
) -> None:
    """Add one violation for all elements that violate a constraint, then those of their parts."""
    shape = container.of
    before = len(violations.sentences)
    has_violation = False
    for element_path, element in elements:
        if element is None:
            if not shape.may_be_null:
                violations.append(sentence(None, element_path, NOT_NULL))
        else:
            has_violation = has_violation or not all(
                holds(element) for _, holds in shape.constraints()
            )
            shape.find_nested(element, element_path, violations)
    if has_violation:
        constraint = f"{noun} must satisfy constraint: [{listed(shape)}]"
        violations.sentences.insert(before, sentence(container.text(whole), path, constraint))


def _element_texts(shape: Shape, elements: Iterable[Any]) -> Iterator[str]:
    return ("null" if element is None else shape.text(element) for element in elements)


def listed(shape: Shape) -> str:
    # DynamoDB: the length comes before the pattern in brackets, but after it elsewhere.
    texts = [text for text, _ in shape.constraints()]
    return ", ".join(sorted(texts, key=lambda text: "regular expression" in text))
