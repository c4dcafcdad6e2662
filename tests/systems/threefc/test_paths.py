"""Paths: ids that cannot be, ids that nobody has, and methods that a path does not take."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from .club import UNKNOWN, refused
from .house import House, housed
from .test_permissions import OUTSIDER, SCOPED, SCOPES, TABLE, Row


@pytest.fixture(scope="module")
def house() -> Iterator[House]:
    with housed() as made:
        yield made


IMPOSSIBLE = ("x", UNKNOWN.lower(), UNKNOWN[:-1], f"{UNKNOWN}0", UNKNOWN.replace("A", "U"))


@pytest.mark.parametrize("row", SCOPED, ids=[row.name for row in SCOPED])
def test_a_path_id_that_cannot_be_is_404_even_without_a_token(house: House, row: Row) -> None:
    odd: dict[str, tuple[str, ...]] = dict.fromkeys(house.ids, IMPOSSIBLE)
    slugs = ("A", "a--b", "-a", "a-", "a_b", "a" * 49)
    odd |= {"slug": slugs, "seasonSlug": slugs, "teamId": ("green", "Blue", "x")}
    odd |= {"userId": ("zed", "zed@x", "a%20b@x.org", "%23@x.org", f"{'x' * 249}@x.org")}
    for name in house.ids:
        if f"{{{name}}}" in row.path:
            for given in odd[name]:
                path = house.place(row.path, **{name: given})
                reply = house.club.server.guest().request(row.method, path, content=b"{")
                refused(reply, 404, "not_found")


def test_an_id_of_26_characters_is_unknown_also_beyond_the_last_ulid(house: House) -> None:
    for beyond in ("Z" * 26, "8" + "0" * 25):
        for row in SCOPED:
            scope = row.path.split("/")[2]
            ids = dict.fromkeys(SCOPES[scope].split(), beyond)
            if not any(f"{{{name}}}" in row.path for name in ids):
                continue
            body = house.body(row.body)
            options = {} if body is None else {"json": body}
            reply = house.club.ann.request(row.method, house.place(row.path, **ids), **options)
            if scope == "leagues":
                refused(reply, *row.cells[OUTSIDER])  # type: ignore[misc]
            else:
                code = "acl_scope_not_found" if scope in ("seasons", "sessions") else "not_found"
                refused(reply, 404, code)
    assert house.club.rows() == house.before


def test_a_method_that_a_path_does_not_take_is_405_even_without_a_token(house: House) -> None:
    for path in sorted({row.path for row in TABLE}):
        taken = {row.method for row in TABLE if same(row.path, path)}
        for method in {"GET", "POST", "PUT", "PATCH", "DELETE"} - taken:
            reply = house.club.server.guest().request(method, house.place(path))
            refused(reply, 405, "method_not_allowed")
            assert set(reply.headers["allow"].split(", ")) == taken


def same(path: str, other: str) -> bool:
    """Whether two templates are of one path."""

    def parts(template: str) -> list[str]:
        return ["{}" if part.startswith("{") else part for part in template.split("/")]

    return parts(path) == parts(other)
