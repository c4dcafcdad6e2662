"""Patches: changes of single fields, without the whole item.

If only the row itself changes, a patch is one update. If a key, a derived row or an envelope
depends on a changed field, the row is read, changed, and saved on the condition that it has not
changed meanwhile; after a lost race this is repeated.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from decimal import Decimal
from functools import cache
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypeVar

from pydantic import BaseModel, TypeAdapter
from pydantic import ValidationError as ModelError

from tablewright.design.entity import Ref, ref_of
from tablewright.design.item_values import encode
from tablewright.errors import ItemInvalid, ItemNotFound, PlanError, TablewrightError
from tablewright.plan.changes.commit import Refusal, conflict
from tablewright.plan.changes.index_keys import index_key_changes
from tablewright.plan.changes.row_writes import Presence, RowWrite
from tablewright.plan.changes.write_plan import Planned, has_dependants, replacement
from tablewright.plan.changes.writes import UNREAD, Known, Write
from tablewright.plan.condition_trees import Path, all_of
from tablewright.plan.model_lambdas import Place, condition, place
from tablewright.plan.presence import is_leaving
from tablewright.values.decimals import canonical

if TYPE_CHECKING:
    from tablewright.design.entity import Entity
    from tablewright.values.attributes import Item, Value

__all__ = ["Patch", "patch"]

M = TypeVar("M", bound=BaseModel)
V = TypeVar("V")


class Change(NamedTuple):
    """One change of a patch."""

    kind: Literal["set", "remove", "add", "append"]
    place: Place
    value: Any = None


class Patch(Write[M]):
    """Changes of one row. Run alone, it returns the changed item."""

    __slots__ = ("_base", "_changes", "_is_quiet", "_ref", "_rekeyed", "_whens")

    wants_new = True

    def __init__(
        self,
        ref: Ref[M],
        base: M | None = None,
        changes: tuple[Change, ...] = (),
        whens: tuple[Callable[[M], bool], ...] = (),
        *,
        is_quiet: bool = False,
    ) -> None:
        self._ref = ref
        self._base = base
        self._changes = changes
        self._whens = whens
        self._is_quiet = is_quiet
        self._rekeyed: tuple[dict[Path, Value] | None] | None = None

    # Declaring changes.

    def set(self, fn: Callable[[M], V | None], value: V | None) -> Patch[M]:
        """Set a field; None removes it."""
        at = self._place(fn)
        if value is None:
            return self._with(Change("remove", at))
        return self._with(Change("set", at, _valid(at, value)))

    def remove(self, fn: Callable[[M], object]) -> Patch[M]:
        """Remove an optional field."""
        return self._with(Change("remove", self._place(fn)))

    def add(self, fn: Callable[[M], float | Decimal | None], amount: float | Decimal) -> Patch[M]:
        """Add to a number; a missing number counts as 0."""
        return self._with(Change("add", self._place(fn), amount))

    def append(self, fn: Callable[[M], Sequence[V] | None], *values: V) -> Patch[M]:
        """Append elements to a list."""
        return self._with(Change("append", self._place(fn), values))

    def when(self, fn: Callable[[M], bool]) -> Patch[M]:
        """Apply only if this condition holds for the row; otherwise Conflict."""
        whens = (*self._whens, fn)
        return Patch(self._ref, self._base, self._changes, whens, is_quiet=self._is_quiet)

    def quietly(self) -> Patch[M]:
        """Do not increment the version."""
        return Patch(self._ref, self._base, self._changes, self._whens, is_quiet=True)

    def _with(self, change: Change) -> Patch[M]:
        entity, at = self._ref.entity, change.place
        if at.field == entity.version:
            raise PlanError(f"patch {entity.name}: {at.field} is maintained automatically")
        if at.field in entity.counters and change.kind != "add":
            raise PlanError(f"patch {entity.name}: {at.field} is a counter; use add()")
        if change.kind == "remove" and len(at.fields) == 1:
            _require_optional(entity, at.field)
        changes = (*self._changes, change)
        return Patch(self._ref, self._base, changes, self._whens, is_quiet=self._is_quiet)

    def _place(self, fn: Callable[[M], object]) -> Place:
        return place(self._ref.entity, fn)

    # Planning.

    @property
    def ref(self) -> Ref[M]:
        return self._ref

    @property
    def reads_first(self) -> bool:
        """Whether the row must be read because keys or derived rows depend on the changes."""
        entity = self._ref.entity
        fields = {change.place.field for change in self._changes} - entity.counters
        if not fields:
            return False
        forms = {field for part in entity.forms for field in part.template.fields}
        return (
            has_dependants(entity)
            or bool(fields & forms)
            or any(change.place.in_envelope for change in self._changes)
            or self._index_keys() is None
        )

    def _index_keys(self) -> dict[Path, Value] | None:
        """The changed index keys; None if they depend on fields that only a read gives."""
        if self._rekeyed is None:
            self._rekeyed = (self._worked_out_index_keys(),)
        return self._rekeyed[0]

    def _worked_out_index_keys(self) -> dict[Path, Value] | None:
        values = {change.place.field: None for change in self._changes}
        for kind, at, value in self._changes:
            if kind == "set" and len(at.fields) == 1:
                values[at.field] = value
        return index_key_changes(self._ref, values)

    def needs_read(self, attempt: int) -> bool:
        if not self.reads_first:
            return False
        knows = self._base is not None and self._ref.entity.version is not None
        return attempt > 0 or not knows

    def planned(self, now: float, known: Known = UNREAD) -> Planned:
        if not self.reads_first:
            return Planned(self._update(), (), None)
        if not known.is_read:
            assert self._base is not None
            return self._rewritten(self._base, None)
        entity, item = self._ref.entity, known.item
        if item is None or entity.is_absent(item, now):
            raise ItemNotFound(entity.name, self._ref.key)
        return self._rewritten(entity.instance(item), item)

    def refused(self, refusals: Sequence[Refusal], now: float) -> TablewrightError:
        entity = self._ref.entity
        row, code, item = refusals[0]
        is_own = row.key == self._ref.key and code == "ConditionalCheckFailed"
        if is_own and (not item or entity.is_absent(item, now) or is_leaving(item)):
            return ItemNotFound(entity.name, self._ref.key)
        return conflict(refusals)

    def _update(self) -> RowWrite:
        """The patch as one update of the row."""
        entity = self._ref.entity
        raises_version = not self._is_quiet and entity.version is not None
        if not self._changes and not raises_version:
            raise PlanError(
                f"patch {entity.name}: there are no changes; use check() to test a condition"
            )
        sets: dict[Path, Value] = {}
        removes: list[Path] = []
        adds: dict[Path, str] = {}
        appends: dict[Path, list[Value]] = {}
        for kind, at, value in self._changes:
            if at.path in (*sets, *removes, *adds, *appends):
                raise PlanError(f"patch {entity.name}: {at} is changed twice")
            if kind == "set":
                sets[at.path] = at.encode(value)
            elif kind == "remove":
                removes.append(at.path)
            elif kind == "add":
                adds[at.path] = _number(value)
            else:
                appends[at.path] = [encode(element) for element in value]
        sets |= self._index_keys() or {}
        return RowWrite(
            entity,
            self._ref.key,
            "update",
            f"patch {entity.name}",
            Presence.LIVE,
            tuple(condition(entity, fn) for fn in self._whens),
            sets=sets,
            removes=frozenset(removes),
            adds=adds,
            appends=appends,
            raises_version=raises_version,
        )

    def _rewritten(self, old: M, item: Item | None) -> Planned:
        """The patch as a save of the item as it was read."""
        entity = self._ref.entity
        counted = [c for c in self._changes if c.place.field in entity.counters]
        changes = [c for c in self._changes if c.place.field not in entity.counters]
        new = _changed(entity, old, changes)
        is_quiet = self._is_quiet and entity.version is not None
        plan = replacement(entity, old, new, raises_version=not is_quiet, stored=item)
        as_read = plan.root.as_read
        if is_quiet:
            _require_quiet(plan)
            as_read = {**as_read, **plan.before}
        adds = {change.place.path: _number(change.value) for change in counted}
        joined_condition = all_of(condition(entity, fn) for fn in self._whens)
        root = plan.root._replace(
            action=f"patch {entity.name}",
            as_read=as_read,
            conditions=plan.root.conditions
            if joined_condition is None
            else (*plan.root.conditions, joined_condition),
            adds=adds,
            is_repeatable=True,
        )
        return plan._replace(root=root)


def patch(target: Ref[M] | M) -> Patch[M]:
    """Change single fields of a row: ``patch(ref(Site, id="x")).set(lambda s: s.title, "t")``.

    Running it raises ItemNotFound if the row is missing, marked or expired.
    """
    if isinstance(target, Ref):
        return Patch(target)
    return Patch(ref_of(target), target)


def _number(amount: float | Decimal) -> str:
    if isinstance(amount, bool) or not isinstance(amount, int | float | Decimal):
        raise PlanError(f"add() needs a number, not {amount!r}")
    return canonical(encode(amount)["N"])


def _require_optional(entity: Entity[Any], field: str) -> None:
    if entity.model.model_fields[field].is_required():
        raise PlanError(f"patch {entity.name}: {field} is required and cannot be removed")


def _require_quiet(plan: Planned) -> None:
    """Raise PlanError if a quiet patch changes keys or derived rows."""
    entity = plan.root.entity
    keys = {part.name for index in entity.table.all_indexes for part in index.attributes}
    if plan.others or plan.staged or keys & plan.before.keys() or plan.root.kind != "update":
        raise PlanError(
            f"patch {entity.name}: quietly() is not allowed: the change affects keys or derived "
            "rows"
        )


@cache
def _adapter(entity: Entity[Any], field: str) -> TypeAdapter[Any]:
    return TypeAdapter(entity.attributes[field].annotation)


def _valid(at: Place, value: Any) -> Any:
    """The value as validated by the model; raises ItemInvalid."""
    if len(at.fields) > 1:
        adapter: TypeAdapter[Any] = TypeAdapter(at.annotation)
    else:
        adapter = _adapter(at.entity, at.field)
    try:
        return adapter.validate_python(value)
    except ModelError as error:
        reason = error.errors(include_url=False)[0]["msg"]
        raise ItemInvalid(at.entity.name, str(at), reason) from error


def _changed(entity: Entity[M], old: M, changes: Iterable[Change]) -> M:
    """The item after the changes, as validated by its model."""
    values = dict(old.__dict__)
    for change in changes:
        field, *inner = change.place.fields
        assert isinstance(field, str)
        if change.kind == "remove" and not inner:
            values.pop(field, None)
        else:
            values[field] = _inside(values.get(field), inner, change)
    validate = entity.model.__pydantic_validator__.validate_python
    try:
        changed: M = validate(values, by_alias=True, by_name=True)
    except ModelError as error:
        first = error.errors(include_url=False)[0]
        where = ".".join(str(step) for step in first["loc"]) or "item"
        raise ItemInvalid(entity.name, where, first["msg"]) from error
    return changed


def _inside(value: Any, steps: Sequence[str | int], change: Change) -> Any:
    """A value with the change applied inside it."""
    if not steps:
        return _CHANGES[change.kind](value, change.value)
    step, *rest = steps
    if isinstance(value, BaseModel):
        assert isinstance(step, str)
        return value.model_copy(update={step: _inside(getattr(value, step), rest, change)})
    if isinstance(value, dict):
        if not rest and change.kind == "remove":
            return {name: member for name, member in value.items() if name != step}
        return {**value, step: _inside(value.get(step), rest, change)}
    if isinstance(value, list | tuple) and isinstance(step, int) and step < len(value):
        members = list(value)
        if not rest and change.kind == "remove":
            del members[step]
        else:
            members[step] = _inside(members[step], rest, change)
        return type(value)(members)
    raise PlanError(f"patch {change.place.entity.name}: the item has no {change.place}")


_CHANGES: dict[str, Callable[[Any, Any], Any]] = {
    "set": lambda held, value: value,  # noqa: ARG005 (what was there does not matter)
    "remove": lambda held, value: None,  # noqa: ARG005 (the same)
    "add": lambda held, value: (held or 0) + value,
    "append": lambda held, value: [*(held or ()), *value],
}
