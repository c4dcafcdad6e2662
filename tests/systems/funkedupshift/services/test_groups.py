"""FunkedUpShift's patterns about groups, members and profiles."""

from __future__ import annotations

from tablewright import save
from tablewright.systems.funkedupshift.design import P
from tests.systems.faces import AT, Face, after, moved
from tests.systems.funkedupshift.rows import group, membership, profile, rating, site


def test_list_groups_returns_them_by_name_page_by_page(face: Face) -> None:
    made = {name: face.create(group(name)) for name in ("beta", "Squash", "Alpha")}
    gone = face.create(group("gone"))
    face.run(save(gone, moved(gone, deleted_at=AT)))
    face.create(site())
    assert face.pages(P.list_groups(), 2) == [[made["Alpha"], made["Squash"]], [made["beta"]]]


def test_get_group_is_case_sensitive_and_does_not_see_a_marked_one(face: Face) -> None:
    made = face.create(group("Squash", join_policy="open"))
    assert face.run(P.get_group("Squash")) == made
    assert face.run(P.get_group("squash")) is None
    face.run(save(made, moved(made, deleted_at=AT)))
    assert face.run(P.get_group("Squash")) is None


def test_groups_come_in_the_order_they_are_asked_for(face: Face) -> None:
    made = {name: face.create(group(name)) for name in ("a", "b")}
    assert face.run(P.groups(["b", "c", "a"])) == [made["b"], made["a"]]


def test_get_membership_is_a_persons_own(face: Face) -> None:
    made = face.create(membership())
    assert face.run(P.get_membership("ann", "Squash")) == made
    assert face.run(P.get_membership("bob", "Squash")) is None


def test_memberships_of_user_come_by_group_and_nothing_else_of_hers(face: Face) -> None:
    made = {name: face.create(membership("ann", name)) for name in ("c", "a", "b")}
    face.create(membership("bob", "a"))
    face.create(profile("ann"))
    face.create(site())
    face.create(rating("ann"))
    assert face.pages(P.memberships_of_user("ann"), 2) == [[made["a"], made["b"]], [made["c"]]]


def test_list_groups_of_user_has_the_groups_that_decide_what_counts(face: Face) -> None:
    known = face.create(group("known"))
    gone = face.create(group("gone"))
    face.run(save(gone, moved(gone, deleted_at=AT)))
    anew = face.create(group("anew", created_at=after(days=1)))
    for name in ("known", "gone", "anew", "never"):
        face.create(membership("ann", name))
    page, groups = face.run(P.list_groups_of_user("ann"))
    made = {one.name: one.created_at for one in groups}
    assert groups == [anew, known]
    counting = [row for row in page.items if made.get(row.group_name) == row.group_created_at]
    assert [row.group_name for row in counting] == ["known"]


def test_list_group_members_returns_them_by_person_page_by_page(face: Face) -> None:
    made = {name: face.create(membership(name)) for name in ("eve", "ann", "bob")}
    face.create(membership("ann", "other"))
    assert face.pages(P.list_group_members("Squash"), 2) == [
        [made["ann"], made["bob"]],
        [made["eve"]],
    ]
    # Members from before the group was made anew do not count.
    face.create(membership("zoe", group_created_at=after(days=1)))
    current = P.list_group_members("Squash").where(lambda one: one.group_created_at == AT)
    assert [row.user_id for row in face.run(current).items] == ["ann", "bob", "eve"]


def test_check_squash_access_reads_membership_and_group(face: Face) -> None:
    assert face.run(P.check_squash_access("ann")) == (None, None)
    made = face.create(group())
    member = face.create(membership())
    trace = face.trace(P.check_squash_access("ann"))
    assert trace.value == (member, made)
    assert all(call.request["ConsistentRead"] for call in trace.calls)
    face.run(save(made, moved(made, deleted_at=AT)))
    assert face.run(P.check_squash_access("ann")) == (member, None)


def test_get_profile_returns_a_persons_own(face: Face) -> None:
    made = face.create(profile("ann", name="Ann"))
    assert face.run(P.get_profile("ann")) == made
    assert face.run(P.get_profile("bob")) is None


def test_list_profiles_returns_them_by_person_page_by_page(face: Face) -> None:
    made = {name: face.create(profile(name)) for name in ("eve", "ann", "bob")}
    face.create(group())
    assert face.pages(P.list_profiles(), 2) == [[made["ann"], made["bob"]], [made["eve"]]]
