"""Items to look at for a design that has none: made from its types, always the same.

A few partitions of each entity, a few items in each. They are written as the design writes them,
so that derived items and counters come with them.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, Final

from tablewright.errors import Conflict, ItemInvalid, SampleUnavailable, ServiceError
from tablewright.explain.samples import sample_instance, varied
from tablewright.plan.changes.writes import create

if TYPE_CHECKING:
    from tablewright.design.entity import Entity
    from tablewright.stores.async_store import AsyncStore
    from tablewright.studio.shell.loaded_design import LoadedDesign

__all__ = ["fill_with_samples", "sample_instances"]

PARTITIONS: Final = 3
ITEMS: Final = 4


async def fill_with_samples(store: AsyncStore, design: LoadedDesign) -> int:
    """Write samples of every entity that is not derived; returns how many were written."""
    written = 0
    for entity in design.entities.values():
        if design.is_derived(entity):
            continue
        for instance in sample_instances(entity):
            try:
                await store.run(create(instance))
                written += 1
            except (Conflict, ItemInvalid, ServiceError, ValueError):
                # Where two samples would be one item, or a counter's target is missing.
                continue
    return written


def sample_instances(entity: Entity[Any]) -> Iterator[Any]:
    """Different items of one entity, as far as its key has room for them."""
    try:
        first = sample_instance(entity)
    except SampleUnavailable:
        return
    face = entity.faces[""]
    partition = {f for part in face.partition for f in part.template.fields}
    sort = {f for part in face.sort for f in part.template.fields} - partition
    keys = set()
    for number in range(PARTITIONS * ITEMS):
        group, place = divmod(number, ITEMS)
        values = {f: varied(getattr(first, f), group) for f in partition & entity.attributes.keys()}
        values |= {f: varied(getattr(first, f), number) for f in sort & entity.attributes.keys()}
        if not sort and place:
            continue
        try:
            instance = sample_instance(entity, values)
            key = str(entity.key_of(instance))
        except (SampleUnavailable, ItemInvalid, ValueError):
            continue
        if key not in keys:
            keys.add(key)
            yield instance
