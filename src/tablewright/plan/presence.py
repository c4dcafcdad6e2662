"""Whether a row counts as present: stored, not expired, not marked, not being deleted.

Readers evaluate it on an item and writers send it as a condition, with the same meaning.

During a staged write (`staged_writes`) a row has the attribute ``_staged``, a JSON text that begins
with the kind of write. A row whose deletion has begun is absent.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from tablewright.plan.condition_trees import (
    Compare,
    Condition,
    Either,
    Function,
    Literal,
    Not,
    Path,
)

if TYPE_CHECKING:
    from tablewright.design.entity import Entity
    from tablewright.values.attributes import Item

__all__ = ["LEAVING", "STAGED", "is_gone", "is_leaving", "is_live", "is_stored"]

STAGED: Final = "_staged"
LEAVING: Final = '{"kind":"delete"'


def is_leaving(item: Item) -> bool:
    """Whether a row's deletion has begun."""
    return STAGED in item and item[STAGED].get("S", "").startswith(LEAVING)


def is_stored(entity: Entity[Any]) -> Condition:
    """The condition that the row is stored, in any state."""
    return Function("attribute_exists", (Path((entity.table.pk.name,)),))


def is_gone(entity: Entity[Any], now: float) -> Condition:
    """The condition that the row is not stored, or has expired."""
    gone = Function("attribute_not_exists", (Path((entity.table.pk.name,)),))
    if not entity.expires:
        return gone
    ttl = Path((_ttl(entity),))
    return Either((gone, Compare(ttl, "<=", _seconds(now))))


def is_live(entity: Entity[Any], now: float, *, with_marked: bool = False) -> list[Condition]:
    """The further conditions that a stored row counts as present."""
    parts: list[Condition] = []
    if entity.mark is not None and not with_marked:
        mark = Path((entity.attributes[entity.mark].name,))
        parts.append(Function("attribute_not_exists", (mark,)))
    if entity.expires:
        ttl = Path((_ttl(entity),))
        never = Function("attribute_not_exists", (ttl,))
        parts.append(Either((never, Compare(ttl, ">", _seconds(now)))))
    if any(derivation.is_staged for derivation in entity.derivations):
        staged = (Path((STAGED,)), Literal({"S": LEAVING}))
        parts.append(Not(Function("begins_with", staged)))
    return parts


def _ttl(entity: Entity[Any]) -> str:
    assert entity.table.ttl is not None
    return entity.table.ttl


def _seconds(now: float) -> Literal:
    # TTL values are whole seconds, so compare with the current whole second.
    return Literal({"N": str(int(now // 1))})
