"""Access patterns as typed stubs: parameters are the bound key parts, the return type the result.

    class Journal(Design, tables=[T]):
        @pattern(desc=True)
        def list_entries(self, athlete_id: str) -> Query[Entry]:
            return served()

When the class is complete, an index is selected for each stub, the design is checked, and the stubs
become methods that build operations. The stub's return type is the operation class: its
``pattern_kind`` says what it reads, its ``from_pattern`` builds it from arguments. So this module
does not import `plan`, and does no I/O.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import (
    TYPE_CHECKING,
    Any,
    ClassVar,
    Never,
    TypeVar,
    get_args,
    get_origin,
    get_type_hints,
)

from tablewright.design.derived_targets import models_in
from tablewright.design.entity import entity_of_model
from tablewright.design.findings import (
    Finding,
    Place,
    names_at_caller,
    place_of_caller,
    raise_errors,
)
from tablewright.design.patterns.index_selection import serve
from tablewright.design.patterns.pattern_model import Declared, Kind, Parameter, PatternModel, Range
from tablewright.design.patterns.pattern_rules import pattern_findings
from tablewright.design.proofs import prove_table
from tablewright.errors import NotDeclared, UsageError

if TYPE_CHECKING:
    from pydantic import BaseModel

    from tablewright.design.table import Table

__all__ = [
    "Composed",
    "Design",
    "DesignModel",
    "Written",
    "compose",
    "pattern",
    "served",
    "writes",
]

F = TypeVar("F", bound=Callable[..., Any])

_STUB = "__pattern__"
_COMPOSED = "__composed__"
_WRITTEN = "__written__"


def served() -> Never:
    """The body of a stub. It never runs: the class replaces the stub with the pattern."""
    raise AssertionError("the class of this pattern is not derived from Design")


def pattern(
    *,
    index: str | None = None,
    desc: bool = False,
    consistent: bool | None = None,
    pk: str | None = None,
    sk: str | None = None,
    where: Callable[[Any], bool] | None = None,
    calls_per_day: int | None = None,
) -> Callable[[F], F]:
    """Declare an access pattern.

    The index is selected from the signature unless ``index`` names it. ``pk`` and ``sk`` state the
    key condition explicitly. ``where`` filters the rows. ``desc`` returns the last sort keys first.
    ``calls_per_day`` is for prices.
    """
    options = {
        "index": index,
        "pk": pk,
        "sk": sk,
        "is_descending": desc,
        "is_consistent": consistent,
        "where": where,
        "calls_per_day": calls_per_day,
        "place": place_of_caller(1),
    }

    def declare(stub: F) -> F:
        setattr(stub, _STUB, options)
        return stub

    return declare


def compose(*patterns: str) -> Callable[[F], F]:
    """Declare a method that combines other patterns, given by name for its cost."""
    place = place_of_caller(1)

    def declare(method: F) -> F:
        setattr(
            method,
            _COMPOSED,
            Composed(method.__name__, patterns, inspect.getdoc(method) or "", place),
        )
        return method

    return declare


class Composed:
    """An access pattern that runs other patterns in sequence."""

    def __init__(self, name: str, parts: Sequence[str], doc: str, place: Place) -> None:
        self.name = name
        self.parts = tuple(parts)
        self.doc = doc
        self.place = place


def writes(*models: type[BaseModel]) -> Callable[[F], F]:
    """Declare a method that returns a write of these entities."""
    place = place_of_caller(1)

    def declare(method: F) -> F:
        written = Written(method.__name__, models, inspect.getdoc(method) or "", place)
        setattr(method, _WRITTEN, written)
        return method

    return declare


class Written:
    """A named write of a design, and its entities."""

    def __init__(
        self, name: str, models: Sequence[type[BaseModel]], doc: str, place: Place
    ) -> None:
        self.name = name
        self.models = tuple(models)
        self.doc = doc
        self.place = place


@dataclass(frozen=True)
class DesignModel:
    """What a class of access patterns declares, checked."""

    tables: tuple[Table, ...] = ()
    patterns: Mapping[str, PatternModel] = field(default_factory=dict)  # Those with an index.
    composed: Mapping[str, Composed] = field(default_factory=dict)
    writes: Mapping[str, Written] = field(default_factory=dict)
    declared: tuple[Declared, ...] = ()
    findings: tuple[Finding, ...] = ()


class Design:
    """The access patterns of a design. Deriving a class checks the complete design.

    ``tables`` can be left out if the patterns name an entity of each table.
    """

    # The only name here, so that a pattern can have any name.
    __design__: ClassVar[DesignModel] = DesignModel()

    def __init_subclass__(cls, *, tables: Iterable[Table] = (), **options: Any) -> None:
        super().__init_subclass__(**options)
        names = names_at_caller(1)
        members = list(vars(cls).items())
        stubs = {
            name: _declared(member, options_of, names)
            for name, member in members
            if (options_of := getattr(member, _STUB, None)) is not None
        }
        own_tables = tuple(tables) or _tables_of(stubs.values())
        findings = [finding for table in own_tables for finding in prove_table(table)]
        patterns: dict[str, PatternModel] = {}
        for name, declared in stubs.items():
            model, wrong = serve(declared, own_tables)
            findings += wrong
            if model is not None:
                findings += pattern_findings(model)
                patterns[name] = model
                setattr(cls, name, _method(vars(cls)[name], model))
        composed = {name: c for name, m in members if (c := getattr(m, _COMPOSED, None))}
        for composition in composed.values():
            findings += _unknown_parts(composition, cls)
        findings += [f for _, member in members for f in _forgotten(member)]
        cls.__design__ = DesignModel(
            own_tables,
            patterns,
            composed,
            {name: write for name, m in members if (write := getattr(m, _WRITTEN, None))},
            tuple(stubs.values()),
            tuple(findings),
        )
        raise_errors(cls.__name__, findings)


def _tables_of(stubs: Iterable[Declared]) -> tuple[Table, ...]:
    """The tables of the entities that patterns name."""
    tables: dict[Table, None] = {}
    for declared in stubs:
        for model in declared.models:
            with suppress(NotDeclared):  # Reported where the pattern is checked.
                tables[entity_of_model(model).table] = None
    return tuple(tables)


def _forgotten(member: Any) -> Iterator[Finding]:
    """A stub without its decorator: a function that only returns served()."""
    code = getattr(member, "__code__", None)
    if code is not None and code.co_names == (served.__name__,) and not hasattr(member, _STUB):
        place = Place(code.co_filename, code.co_firstlineno)
        cause = "it returns served(), but is not declared as a pattern."
        yield Finding("TW216", "error", member.__name__, cause, place=place)


def _unknown_parts(composition: Composed, owner: type[Design]) -> list[Finding]:
    unknown = [part for part in composition.parts if not hasattr(owner, part)]
    if not unknown:
        return []
    cause = f"it is composed of {', '.join(unknown)}, which is not a pattern."
    return [Finding("TW209", "error", composition.name, cause, place=composition.place)]


def _declared(stub: Callable[..., Any], options: dict[str, Any], names: dict[str, Any]) -> Declared:
    """The declaration of a stub, from its signature."""
    hints = get_type_hints(stub, localns=names, include_extras=True)
    returned = hints.get("return")
    operation = get_origin(returned) or returned
    kind: Kind | None = getattr(operation, "pattern_kind", None)
    if kind is None:
        raise UsageError(
            f"{stub.__qualname__} must return Get[…], BatchGet[…], Query[…], Count[…] or FanOut[…]"
        )
    parameters = []
    for parameter in list(inspect.signature(stub).parameters.values())[1:]:
        annotation = hints.get(parameter.name, str)
        mode, inner = _mode(annotation)
        has_default = parameter.default is not inspect.Parameter.empty
        parameters.append(Parameter(parameter.name, inner, mode, has_default))
    return Declared(
        name=stub.__name__,
        kind=kind,
        operation=operation,
        models=tuple(models_in(returned)),
        parameters=tuple(parameters),
        doc=inspect.getdoc(stub) or "",
        **options,
    )


def _mode(annotation: Any) -> tuple[Any, Any]:
    origin = get_origin(annotation)
    if origin is Range:
        return "range", get_args(annotation)[0]
    if origin in (list, tuple, Sequence, Iterable) or (
        isinstance(origin, type) and issubclass(origin, Iterable)
    ):
        return "many", get_args(annotation)[0]
    return "one", annotation


# Methods that build operations.


def _method(stub: Callable[..., Any], model: PatternModel) -> Callable[..., Any]:
    """The method that replaces a stub."""
    signature = inspect.signature(stub)
    entity = model.entities[0]
    fields = {p.name: entity.names.get(p.name, p.name) for p in model.parameters}
    order = [fields[p.name] for p in model.parameters]
    defaults = {
        fields[p.name]: p.default
        for p in list(signature.parameters.values())[1:]
        if p.default is not inspect.Parameter.empty
    }
    make = model.declared.operation.from_pattern(model)
    count = len(order)

    def method(self: Design, *given: Any, **named: Any) -> Any:
        if not named and len(given) == count:
            return make(dict(zip(order, given, strict=True)))
        if len(given) + len(named) == count and named.keys() <= fields.keys():
            values = dict(zip(order, given, strict=False))
            values.update((fields[name], value) for name, value in named.items())
        else:
            bound = signature.bind(self, *given, **named)
            values = defaults | {
                fields[name]: value for name, value in list(bound.arguments.items())[1:]
            }
        if len(values) != count:
            signature.bind(self, *given, **named)  # Raises TypeError for a duplicate argument.
        return make(values)

    method.__name__ = stub.__name__
    method.__qualname__ = stub.__qualname__
    method.__doc__ = stub.__doc__
    method.__signature__ = signature  # type: ignore[attr-defined]
    return method
