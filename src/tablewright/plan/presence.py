"""Whether a row counts as there: stored, not expired, not marked, not about to be deleted.

Readers ask it of an item; writers say it as a condition, so that both mean the same.

A row whose rows have no bound is written in stages (`staged`); while that is going on it carries
the attribute ``_staged``, a JSON text that begins with what is being done. A row whose deletion
has begun is absent.
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
    """The row is there, whatever its state."""
    return Function("attribute_exists", (Path((entity.table.pk.name,)),))


def is_gone(entity: Entity[Any], now: float) -> Condition:
    """There is no row, or one that has expired and waits to be swept."""
    gone = Function("attribute_not_exists", (Path((entity.table.pk.name,)),))
    if not entity.expires:
        return gone
    ttl = Path((_ttl(entity),))
    return Either((gone, Compare(ttl, "<=", _seconds(now))))


def is_live(entity: Entity[Any], now: float, *, with_marked: bool = False) -> list[Condition]:
    """What else is true of a row, once it is there, if it counts as there."""
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
    # An expiry has whole seconds, so it has passed exactly if it has by the last whole second.
    return Literal({"N": str(int(now // 1))})
