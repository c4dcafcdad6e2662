"""The item editor: a form or typed JSON, and the differences to the stored item.

Nothing is lost on the way: a form's fields hold what is stored, and typed JSON is DynamoDB's own.
Changes go to the stage (`stage_store`) or, for one item, are written directly; both through
`stage_commit`, and only if the stored item is still the one that was shown.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final

from tablewright.errors import ItemInvalid, SampleUnavailable, ServiceError
from tablewright.explain.samples import sample_instance
from tablewright.studio.editing.item_form import FieldInvalid, FieldView, fields_of, filled
from tablewright.studio.editing.stage_commit import commit, require_editable, transaction_of
from tablewright.studio.editing.stage_store import Change, Stage
from tablewright.studio.items.item_json import (
    Difference,
    EditRefused,
    differences,
    item_digest,
    read_item,
    typed_text,
)
from tablewright.studio.items.item_row import Row, row_of
from tablewright.studio.items.item_view import place_of
from tablewright.studio.shell.request_log import LoggedStore, Snippets, snippets_of

if TYPE_CHECKING:
    from tablewright.design.entity import Entity
    from tablewright.design.table import Table
    from tablewright.studio.shell.loaded_design import LoadedDesign
    from tablewright.values.attributes import Item

__all__ = ["EditView", "create_view", "edit_view"]

_CHANGED: Final = "The item has changed since it was read. Reload it."
TABS: Final = ("form", "json")


@dataclass(frozen=True)
class EditView:
    """The page."""

    row: Row
    path: str  # Where the form is sent, below the design's address.
    is_new: bool
    tab: str
    fields: tuple[FieldView, ...]  # None where the item is of no entity.
    formless: str  # Why there is no form.
    typed: str
    old: str
    differences: tuple[Difference, ...] = ()
    request: Snippets | None = None
    locked: str = ""  # Why the item is not edited.
    is_previewed: bool = False
    is_done: bool = False
    is_staged: bool = False  # Whether the stage has it now.
    was_staged: bool = False  # Whether what is shown comes from there.
    error: str = ""


async def edit_view(
    design: LoadedDesign,
    store: LoggedStore,
    place: tuple[str, str],
    form: Mapping[str, str],
    stage: Stage | None = None,
) -> EditView:
    """The page of an item; raises LookupError if there is no such item, and AddressInvalid."""
    table, key = place_of(design, *place)
    stored = await _stored(store, table, key)
    if stored is None:
        raise LookupError("No item has this key.")
    known = stage.at(table.name, Change(table, stored, None).address) if stage is not None else None
    waiting = known.new if known is not None and not _is_sent(form) else None
    view = _blank(design, table, stored, f"items/{place[0]}/{place[1]}/edit")
    view = _filled_view(view, table.entity_of(stored), waiting or stored, form)
    view = replace(view, was_staged=waiting is not None)
    if not _is_sent(form) or view.locked:
        return replace(view, error=view.locked if _is_sent(form) else "")
    entity = table.entity_of(stored)
    try:
        if form.get("old") and form["old"].strip() != item_digest(stored):
            raise EditRefused(_CHANGED)
        new = None if form.get("delete") else _form_item(entity, stored, form, is_new=False)
        change = Change(table, stored, new)
        view = await _acted(design, store, view, change, form, stage)
    except (EditRefused, ItemInvalid, ValueError) as refused:
        return _refused(view, entity, stored, form, refused)
    except ServiceError as refused:
        return replace(view, error=f"The store rejected the write: {refused}")
    if view.is_done and new is not None:
        # A save may have moved more than was typed: the version, say.
        now = await _stored(store, table, key) or new
        saved_view = _filled_view(_blank(design, table, now, view.path), entity, now, {})
        return replace(saved_view, tab=view.tab, differences=view.differences, is_done=True)
    return view


async def create_view(
    design: LoadedDesign,
    store: LoggedStore,
    name: str,
    form: Mapping[str, str],
    stage: Stage | None = None,
) -> EditView:
    """The page of an item that is to be made; raises LookupError if there is no such entity."""
    entity = design.entities.get(name)
    if entity is None:
        raise LookupError(f"This design has no entity {name}.")
    try:
        sample = entity.item(sample_instance(entity))
    except (SampleUnavailable, ItemInvalid, ValueError) as error:
        raise LookupError(f"No example of {name} can be made: {error}") from error
    view = replace(_blank(design, entity.table, sample, f"create/{name}"), is_new=True, old="")
    view = _filled_view(view, entity, sample, form)
    if not _is_sent(form) or view.locked:
        return replace(view, error=view.locked if _is_sent(form) else "")
    try:
        new = _form_item(entity, sample, form, is_new=True)
        if entity.table.entity_of(new) is not entity:
            raise EditRefused(f"This is no item of {name}.")
        change = Change(entity.table, None, new)
        if await _stored(store, entity.table, change.key) is not None:
            raise EditRefused("An item with this key already exists. Edit that item instead.")
        view = await _acted(design, store, view, change, form, stage)
    except (EditRefused, ItemInvalid, ValueError) as refused:
        return _refused(view, entity, sample, form, refused)
    except ServiceError as refused:
        return replace(view, error=f"The store rejected the write: {refused}")
    return replace(view, row=row_of(design, entity.table, entity.table.primary, new))


async def _stored(store: LoggedStore, table: Table, key: Item) -> Item | None:
    request = {"TableName": table.name, "Key": key, "ConsistentRead": True}
    return (await store.call("GetItem", request)).get("Item")


def _is_sent(form: Mapping[str, str]) -> bool:
    """Whether a form was sent, and not just a tab chosen."""
    return bool(form.keys() - {"tab"})


# What is shown.


def _blank(design: LoadedDesign, table: Table, item: Item, path: str) -> EditView:
    try:
        require_editable(design, Change(table, item, item))
        locked = ""
    except EditRefused as refused:
        locked = str(refused)
    return EditView(
        row=row_of(design, table, table.primary, item),
        path=path,
        is_new=False,
        tab="json",
        fields=(),
        formless="",
        typed=typed_text(item),
        old=item_digest(item),
        locked=locked,
    )


def _filled_view(
    view: EditView, entity: Entity[Any] | None, item: Item, form: Mapping[str, str]
) -> EditView:
    """The page with both forms of an item, or what was filled in before."""
    fields: tuple[FieldView, ...] = ()
    formless = ""
    if entity is None:
        formless = "No entity matches this key and type. Edit the item as typed JSON."
    else:
        try:
            entity.instance(item)
            fields = fields_of(entity, item, form, is_new=view.is_new)
        except (ItemInvalid, EditRefused) as error:
            formless = f"The item does not match its model. Edit it as typed JSON. {error}"
    usual = "json" if "typed" in form or formless else "form"
    tab = form.get("tab", usual)
    return replace(
        view,
        tab=tab if tab in TABS and not formless else "json",
        fields=fields,
        formless=formless,
        typed=form.get("typed", typed_text(item)),
    )


def _form_item(
    entity: Entity[Any] | None, stored: Item, form: Mapping[str, str], *, is_new: bool
) -> Item:
    """The item that a form holds, whichever tab it is of; raises EditRefused."""
    if "typed" in form or entity is None:
        return read_item(form.get("typed", ""))
    return filled(entity, stored, form, is_new=is_new)


def _refused(
    view: EditView,
    entity: Entity[Any] | None,
    item: Item,
    form: Mapping[str, str],
    refused: Exception,
) -> EditView:
    fields = view.fields
    if isinstance(refused, FieldInvalid) and entity is not None and fields:
        fields = fields_of(entity, item, form, is_new=view.is_new, wrong=refused)
    # What it was made from stays: an item that changed is to be looked at, not written over.
    return replace(view, fields=fields, error=str(refused), old=form.get("old", view.old))


# What is done.


async def _acted(
    design: LoadedDesign,
    store: LoggedStore,
    view: EditView,
    change: Change,
    form: Mapping[str, str],
    stage: Stage | None,
) -> EditView:
    """The page after a preview, after staging, or after a write."""
    keys = frozenset(part.name for part in change.table.primary.attributes)
    changes = differences(change.old, change.new, keys)
    if not changes:
        if stage is not None:
            stage.drop(change.table.name, change.address)
        return replace(view, error="No changes.")
    now = store.store.context.now()
    transaction = transaction_of(design, [change], now)
    view = replace(
        view,
        differences=changes,
        typed=typed_text(change.new) if change.new is not None else view.typed,
        request=snippets_of([transaction.call], store.region),
        is_previewed=True,
    )
    if form.get("stage") or form.get("delete"):
        assert stage is not None
        stage.add(change)
        return replace(view, is_staged=True)
    if form.get("commit") == "yes":
        if refused := await commit(store, transaction):
            actions = ", ".join(f"{action.text} at {action.key}" for action in refused)
            raise EditRefused(f"Nothing was written: {actions} met another item than expected.")
        if stage is not None:
            stage.drop(change.table.name, change.address)
        return replace(view, is_done=True)
    return view
