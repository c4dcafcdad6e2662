"""Access patterns as typed stubs: the signature says what is bound, the return type what comes.

    class Journal(Patterns, tables=[T]):
        @pattern(desc=True)
        def list_entries(self, athlete_id: str) -> Query[Entry]:
            return served()

When the class is complete, each stub is matched with an index, the whole design is proved, and
the stubs become methods that build operations. The operation is the class that a stub returns: its
``pattern_kind`` says what it reads, its ``from_pattern`` builds it from a call's arguments. So this
module does not import `plan`, and no store is asked.
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
from tablewright.design.index_selection import serve
from tablewright.design.pattern_model import Declared, Kind, Parameter, PatternModel, Range
from tablewright.design.proofs import prove_table

if TYPE_CHECKING:
    from pydantic import BaseModel

    from tablewright.design.table import Table

__all__ = ["Composed", "Patterns", "Written", "compose", "pattern", "served", "writes"]

F = TypeVar("F", bound=Callable[..., Any])

_STUB = "__pattern__"
_COMPOSED = "__composed__"
_WRITTEN = "__written__"


def served() -> Never:
    """The body of a stub. It never runs: the design puts the pattern in its place."""
    raise AssertionError("this pattern belongs to a class that is not derived from Patterns")


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

    The index is chosen from the signature unless it is named. ``pk`` and ``sk`` write the key
    condition out, where a document states it itself. ``where`` filters what is read. ``desc`` asks
    for the last sort keys first. ``calls_per_day`` is for prices.
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
    """Declare a method that is made of other patterns; their names are what it costs."""
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
    """An access pattern made of others, one after another."""

    def __init__(self, name: str, parts: Sequence[str], doc: str, place: Place) -> None:
        self.name = name
        self.parts = tuple(parts)
        self.doc = doc
        self.place = place


def writes(*models: type[BaseModel]) -> Callable[[F], F]:
    """Declare a method that makes a write: a unit of rows of these entities."""
    place = place_of_caller(1)

    def declare(method: F) -> F:
        made = Written(method.__name__, models, inspect.getdoc(method) or "", place)
        setattr(method, _WRITTEN, made)
        return method

    return declare


class Written:
    """A write that a design names, and the entities it touches."""

    def __init__(
        self, name: str, models: Sequence[type[BaseModel]], doc: str, place: Place
    ) -> None:
        self.name = name
        self.models = tuple(models)
        self.doc = doc
        self.place = place


class Patterns:
    """The access patterns of a design. Deriving from it completes and proves the design."""

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
            if (made := getattr(member, _COMPOSED, None)) is not None:
                composed[name] = made
            if (write := getattr(member, _WRITTEN, None)) is not None:
                written[name] = write
            if (options_of := getattr(member, _STUB, None)) is None:
                continue
            stub = _declared(member, options_of, names)
            declared.append(stub)
            model, wrong = serve(stub, cls.tables)
            findings += wrong
            if model is not None:
                models[name] = model
                setattr(cls, name, _method(member, model))
        for made in composed.values():
            findings += _unknown_parts(made, cls)
        cls.models, cls.composed, cls.written = models, composed, written
        cls.declared, cls.findings = tuple(declared), tuple(findings)
        raise_errors(cls.__name__, findings)


def _unknown_parts(made: Composed, owner: type[Patterns]) -> list[Finding]:
    unknown = [part for part in made.parts if not hasattr(owner, part)]
    if not unknown:
        return []
    cause = f"it is composed of {', '.join(unknown)}, which is no pattern."
    return [Finding("TW209", "error", made.name, cause, place=made.place)]


def _declared(stub: Callable[..., Any], options: dict[str, Any], names: dict[str, Any]) -> Declared:
    """A stub's signature as a declaration."""
    hints = get_type_hints(stub, localns=names, include_extras=True)
    returned = hints.get("return")
    operation = get_origin(returned) or returned
    kind: Kind | None = getattr(operation, "pattern_kind", None)
    if kind is None:
        raise TypeError(
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


# From arguments to operations.


def _method(stub: Callable[..., Any], model: PatternModel) -> Callable[..., Any]:
    """The method that takes a stub's place."""
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
            signature.bind(self, *given, **named)  # Raises, and says which is given twice.
        return make(values)

    method.__name__ = stub.__name__
    method.__qualname__ = stub.__qualname__
    method.__doc__ = stub.__doc__
    method.__signature__ = signature  # type: ignore[attr-defined]
    return method
