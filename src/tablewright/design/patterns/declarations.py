"""Access patterns as typed stubs: parameters are the bound key parts, the return type the result.

    class Journal(Patterns, tables=[T]):
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
from collections.abc import Callable, Iterable, Mapping, Sequence
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
from tablewright.errors import UsageError

if TYPE_CHECKING:
    from pydantic import BaseModel

    from tablewright.design.table import Table

__all__ = ["Composed", "Patterns", "Written", "compose", "pattern", "served", "writes"]

F = TypeVar("F", bound=Callable[..., Any])

_STUB = "__pattern__"
_COMPOSED = "__composed__"
_WRITTEN = "__written__"


def served() -> Never:
    """The body of a stub. It never runs: the class replaces the stub with the pattern."""
    raise AssertionError("the class of this pattern is not derived from Patterns")


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


class Patterns:
    """The access patterns of a design. Deriving a class checks the complete design."""

    tables: ClassVar[tuple[Table, ...]] = ()
    models: ClassVar[Mapping[str, PatternModel]] = {}
    composed: ClassVar[Mapping[str, Composed]] = {}
    written: ClassVar[Mapping[str, Written]] = {}
    declared: ClassVar[tuple[Declared, ...]] = ()
    findings: ClassVar[tuple[Finding, ...]] = ()

    def __init_subclass__(cls, *, tables: Iterable[Table] = (), **options: Any) -> None:
        super().__init_subclass__(**options)
        cls.tables = tuple(tables)
        names = names_at_caller(1)
        findings = [finding for table in cls.tables for finding in prove_table(table)]
        models: dict[str, PatternModel] = {}
        composed: dict[str, Composed] = {}
        written: dict[str, Written] = {}
        declared: list[Declared] = []
        for name, member in list(vars(cls).items()):
            if (composition := getattr(member, _COMPOSED, None)) is not None:
                composed[name] = composition
            if (write := getattr(member, _WRITTEN, None)) is not None:
                written[name] = write
            if (options_of := getattr(member, _STUB, None)) is None:
                continue
            stub = _declared(member, options_of, names)
            declared.append(stub)
            model, wrong = serve(stub, cls.tables)
            findings += wrong
            if model is not None:
                findings += pattern_findings(model)
                models[name] = model
                setattr(cls, name, _method(member, model))
        for composition in composed.values():
            findings += _unknown_parts(composition, cls)
        cls.models, cls.composed, cls.written = models, composed, written
        cls.declared, cls.findings = tuple(declared), tuple(findings)
        raise_errors(cls.__name__, findings)


def _unknown_parts(composition: Composed, owner: type[Patterns]) -> list[Finding]:
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

    def method(self: Patterns, *given: Any, **named: Any) -> Any:
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
