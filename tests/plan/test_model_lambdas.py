"""Lambdas over models as DynamoDB's expressions, and what cannot be one."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from tablewright import (
    ItemInvalid,
    Model,
    Table,
    absent,
    begins_with,
    between,
    contains,
    exists,
    not_,
    one_of,
    size,
)
from tablewright.design.entity import entity_of_model
from tablewright.plan.condition_trees import Names
from tablewright.plan.model_lambdas import condition, place

from .library import NOW, Book, Once, Rating, Shelf

S = Table("signs")


@S.entity("SIGN#{id}", "METADATA", stored={"siteId": "SITE#{siteId}"})
class Sign(Model):
    id: str
    site_id: str
    names: dict[str, str] = {}
    sort: int = 0

    @property
    def label(self) -> str:
        return self.id


def shown(model: type[Any], fn: Callable[[Any], Any]) -> str:
    """A condition with its placeholders filled in."""
    names = Names()
    text = condition(entity_of_model(model), fn).render(names)
    request: dict[str, Any] = {}
    names.fill(request)
    for mark, name in sorted(request.get("ExpressionAttributeNames", {}).items(), reverse=True):
        text = text.replace(mark, name)
    for mark, value in sorted(request.get("ExpressionAttributeValues", {}).items(), reverse=True):
        [(kind, content)] = value.items()
        text = text.replace(mark, f"{kind}:{content}")
    return text


@pytest.mark.parametrize(
    ("fn", "expected"),
    [
        (lambda b: b.stars > 3, "stars > N:3"),
        (lambda b: b.stars >= 3, "stars >= N:3"),
        (lambda b: b.stars < b.ratings, "stars < ratings"),
        (lambda b: b.stars <= 3, "stars <= N:3"),
        (lambda b: b.title == "A", "title = S:A"),
        (lambda b: b.title != "A", "title <> S:A"),
        (lambda b: b.created_at < NOW, "createdAt < S:2026-03-01T10:00:00.000Z"),
        (lambda b: b.slug == None, "attribute_not_exists(slug)"),  # noqa: E711
        (lambda b: b.slug != None, "NOT (attribute_not_exists(slug))"),  # noqa: E711
        (lambda b: absent(b.deleted_at), "attribute_not_exists(deletedAt)"),
        (lambda b: exists(b.deleted_at), "attribute_exists(deletedAt)"),
        (lambda b: begins_with(b.title, "A"), "begins_with(title, S:A)"),
        (lambda b: contains(b.tags, "x"), "contains(tags, S:x)"),
        (lambda b: between(b.stars, 1, 2), "stars BETWEEN N:1 AND N:2"),
        (lambda b: one_of(b.title, ["A", "B"]), "title IN (S:A, S:B)"),
        (lambda b: size(b.tags) < 3, "size(tags) < N:3"),
        (lambda b: not_(b.stars == 1), "NOT (stars = N:1)"),
        (lambda b: b.size.pages > 3, "size.pages > N:3"),
        (lambda b: b.notes[0] == "n", "notes[0] = S:n"),
        (lambda b: (b.stars > 1) & (b.stars < 3), "stars > N:1 AND stars < N:3"),
        (
            lambda b: ((b.stars > 1) | (b.stars < 3)) & absent(b.slug),
            "(stars > N:1 OR stars < N:3) AND attribute_not_exists(slug)",
        ),
        (
            lambda b: between(b.stars, 1, 2) & exists(b.slug),
            "(stars BETWEEN N:1 AND N:2) AND attribute_exists(slug)",
        ),
    ],
)
def test_what_a_lambda_says_is_what_dynamodb_is_told(
    fn: Callable[[Any], Any], expected: str
) -> None:
    assert shown(Book, fn) == expected


def test_none_inside_of_a_map_may_be_stored_as_null() -> None:
    assert shown(Book, lambda b: absent(b.size.unit)) == (
        "attribute_not_exists(size.unit) OR size.unit = NULL:True"
    )
    assert shown(Book, lambda b: exists(b.size.unit)) == (
        "attribute_exists(size.unit) AND size.unit <> NULL:True"
    )


def test_members_of_a_dict_are_named_by_their_key() -> None:
    assert shown(Sign, lambda s: s.names["de"] == "x") == "names.de = S:x"


def test_a_field_that_is_kept_in_another_form_is_compared_in_that_form() -> None:
    assert shown(Sign, lambda s: s.site_id == "7") == "siteId = S:SITE#7"
    assert shown(Rating, lambda r: r.stars == 3) == "stars = N:3"


def test_names_and_values_go_through_short_placeholders() -> None:
    names = Names()
    message = condition(entity_of_model(Book), lambda b: (b.title == "A") & (b.title != "B"))
    assert message.render(names) == "#0 = :0 AND #0 <> :1"
    request: dict[str, Any] = {}
    names.fill(request)
    assert request == {
        "ExpressionAttributeNames": {"#0": "title"},
        "ExpressionAttributeValues": {":0": {"S": "A"}, ":1": {"S": "B"}},
    }


@pytest.mark.parametrize(
    "fn",
    [
        lambda b: (b.stars > 1) and (b.stars < 3),
        lambda b: (b.stars > 1) or (b.stars < 3),
        lambda b: not b.stars,
        lambda b: not (b.stars > 1),
        lambda b: 1 < b.stars < 3,
        lambda b: b.slug is None,
        lambda b: "x" in b.tags,
        lambda b: b.title in ("A", "B"),
        lambda b: [tag for tag in b.tags],  # noqa: C416
        lambda b: b.stars,
        lambda b: True,
        lambda b: True & (b.stars > 1),
        lambda b: b.stars < None,
        lambda b: b.stars > 1 & b.ratings,
        lambda b: one_of(b.title, []),
        lambda b: absent("title"),
        lambda b: not_(b.title),
    ],
)
def test_what_cannot_be_recorded_is_a_type_error(fn: Callable[[Any], Any]) -> None:
    with pytest.raises(TypeError):
        condition(entity_of_model(Book), fn)


def test_what_lies_in_an_envelope_cannot_be_seen() -> None:
    with pytest.raises(ItemInvalid, match="envelope 'data'"):
        condition(entity_of_model(Shelf), lambda s: s.name == "x")
    assert shown(Shelf, lambda s: s.book_count == 0) == "bookCount = N:0"


def test_what_is_computed_cannot_be_named() -> None:
    with pytest.raises(ItemInvalid, match="is a property"):
        condition(entity_of_model(Sign), lambda s: s.label == "x")


def test_unknown_fields_are_attribute_errors() -> None:
    with pytest.raises(AttributeError, match="no field 'author'"):
        condition(entity_of_model(Book), lambda b: b.author == "x")
    with pytest.raises(AttributeError, match="weight"):
        condition(entity_of_model(Book), lambda b: b.size.weight == 1)


def test_a_place_has_its_names_in_python_and_on_disk() -> None:
    result = place(entity_of_model(Book), lambda b: b.size.pages)
    assert (result.fields, str(result.path)) == (("size", "pages"), "size.pages")
    assert place(entity_of_model(Once), lambda o: o.expires_at).path.steps == ("expiresAt",)
    with pytest.raises(TypeError, match="name a field of Book"):
        place(entity_of_model(Book), lambda b: b.stars > 1)
