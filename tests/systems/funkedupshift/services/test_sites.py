"""FunkedUpShift's patterns about sites, tags, ratings and comments."""

from __future__ import annotations

from tablewright import create, save
from tablewright.systems.funkedupshift.design import P, SiteTag, T
from tests.systems.faces import AT, Face, after, moved
from tests.systems.funkedupshift.rows import (
    comment,
    group,
    match,
    once,
    player,
    profile,
    rating,
    site,
)
from tests.systems.ids import ulid, uuid


def test_get_site_does_not_see_a_marked_site(face: Face) -> None:
    made = face.create(site(tags=["a", "b c"], description="d"))
    assert face.run(P.get_site(uuid(1))) == made
    assert face.run(P.get_site(uuid(2))) is None
    marked = face.run(save(made, moved(made, deleted_at=AT)))
    assert face.run(P.get_site(uuid(1))) is None
    assert face.run(P.get_site(uuid(1)).with_marked()) == marked


def test_sites_come_in_the_order_they_are_asked_for(face: Face) -> None:
    made = [face.create(site(n)) for n in range(3)]
    face.run(save(made[1], moved(made[1], deleted_at=AT)))
    assert face.run(P.sites([uuid(2), uuid(1), uuid(9), uuid(0)])) == [made[2], made[0]]


def test_list_sites_returns_newest_first_page_by_page(face: Face) -> None:
    made = [face.create(site(9 - n, after(hours=n), tags=["a"])) for n in range(5)]
    # Everything else that is in the index stays out of the list.
    face.create(group())
    face.create(profile())
    face.create(*(player(n) for n in range(1, 5)))
    face.create(match())
    assert face.pages(P.list_sites(), 2) == [[made[4], made[3]], [made[2], made[1]], [made[0]]]


def test_list_sites_leaves_out_marked_sites(face: Face) -> None:
    made = [face.create(site(n, after(hours=n))) for n in range(3)]
    face.run(save(made[1], moved(made[1], deleted_at=AT)))
    assert face.run(P.list_sites()).items == (made[2], made[0])
    [marked] = [item for item in face.items(T) if "deletedAt" in item]
    assert "entitySk" not in marked


def test_site_tags_are_listed_by_site_page_by_page(face: Face) -> None:
    face.create(*(site(n, tags=["a", "ab"]) for n in (3, 1, 2)), site(4, tags=["ab"]))
    assert [[row.site_id for row in page] for page in face.pages(P.site_tags("a"), 2)] == [
        [uuid(1), uuid(2)],
        [uuid(3)],
    ]
    assert face.run(P.site_tags("a")).items[0] == SiteTag(site_id=uuid(1), tag="a")


def test_list_sites_by_tag_follows_the_tags_as_they_change(face: Face) -> None:
    one, two = face.create(site(1, tags=["a", "b"])), face.create(site(2, tags=["b"]))
    assert face.run(P.list_sites_by_tag("b")) == [one, two]
    one = face.run(save(one, moved(one, tags=["b", "c"])))
    assert face.run(P.list_sites_by_tag("a")) == []
    assert face.run(P.list_sites_by_tag("b")) == [one, two]
    assert face.run(P.list_sites_by_tag("c")) == [one]
    face.run(save(two, moved(two, deleted_at=AT)))
    assert face.run(P.list_sites_by_tag("b")) == [one]


def test_get_my_rating_is_a_persons_own(face: Face) -> None:
    face.create(site())
    made = face.create(rating("ann", note="good"))
    face.create(rating("bob", stars=1))
    assert face.run(P.get_my_rating("ann", uuid(1))) == made
    assert face.run(P.get_my_rating("ann", uuid(2))) is None


def test_ratings_of_user_come_by_site_without_comments(face: Face) -> None:
    face.create(*(site(n) for n in range(5)))
    made = [face.create(rating("ann", n)) for n in (3, 1, 2)]
    face.create(rating("bob", 1))
    face.create(*(comment(n, on=1) for n in range(4)))
    face.create(profile("ann"))
    assert face.pages(P.ratings_of_user("ann"), 2) == [[made[1], made[2]], [made[0]]]


def test_list_my_ratings_has_the_sites_that_still_exist(face: Face) -> None:
    sites = [face.create(site(n)) for n in (1, 2)]
    mine = [face.create(rating("ann", n)) for n in (1, 2)]
    read = face.run(P.get_site(uuid(2)).required())
    face.run(save(read, moved(read, deleted_at=AT)))
    page, found = face.run(P.list_my_ratings("ann"))
    assert page.items == tuple(mine)
    assert found == [moved(sites[0], total_stars_sum=4, total_stars_count=1)]


def test_ratings_by_stars_come_by_site_page_by_page(face: Face) -> None:
    face.create(*(site(n) for n in range(4)))
    made = [face.create(rating("ann", n, stars=5)) for n in (3, 0, 2)]
    face.create(rating("bob", 1, stars=4))
    assert face.pages(P.ratings_by_stars(5), 2) == [[made[1], made[2]], [made[0]]]
    changed = face.run(save(made[0], moved(made[0], stars=4)))
    assert face.run(P.ratings_by_stars(4)).items[-1] == changed
    assert len(face.run(P.ratings_by_stars(5)).items) == 2


def test_list_ratings_by_stars_has_the_sites_that_still_exist(face: Face) -> None:
    face.create(site(1), site(2))
    late = rating("eve", 9, stars=3)
    face.plant(late)
    mine = [face.create(rating("ann", n, stars=3)) for n in (1, 2)]
    page, found = face.run(P.list_ratings_by_stars(3))
    assert page.items == (*mine, late)
    assert [one.id for one in found] == [uuid(1), uuid(2)]


def test_ratings_of_site_finds_them_of_every_value(face: Face) -> None:
    face.create(site(1), site(2))
    made = [face.create(rating(f"u{n}", 1, stars=n)) for n in (5, 3, 1)]
    face.create(rating("eve", 2, stars=3))
    assert face.run(P.ratings_of_site([1, 2, 3, 4, 5], uuid(1))) == [made[2], made[1], made[0]]


def test_count_ratings_counts_one_value(face: Face) -> None:
    face.create(site(1), site(2))
    face.create(*(rating(f"u{n}", 1, stars=4) for n in range(3)), rating("eve", 2, stars=4))
    assert face.run(P.count_ratings(4, uuid(1))) == 3
    assert face.run(P.count_ratings(5, uuid(1))) == 0


def test_count_ratings_of_site_asks_for_each_value(face: Face) -> None:
    face.create(site())
    for number, stars in enumerate((1, 3, 3, 5, 5, 5)):
        face.create(rating(f"u{number}", stars=stars))
    trace = face.trace(P.count_ratings_of_site(uuid(1)))
    assert trace.value == (1, 0, 2, 0, 3)
    assert [call.operation for call in trace.calls] == ["Query"] * 5


def test_list_comments_of_site_returns_newest_first_page_by_page(face: Face) -> None:
    made = [face.create(comment(n, after(hours=n), user=f"u{n % 2}")) for n in range(5)]
    face.create(comment(9, on=2))
    assert face.pages(P.list_comments_of_site(uuid(1)), 2) == [
        [made[4], made[3]],
        [made[2], made[1]],
        [made[0]],
    ]


def test_get_comment_needs_site_and_the_time_of_its_id(face: Face) -> None:
    made = face.create(comment(7))
    assert face.run(P.get_comment(uuid(1), AT, ulid(7))) == made
    assert face.run(P.get_comment(uuid(2), AT, ulid(7))) is None
    assert face.run(P.get_comment(uuid(1), after(ms=1), ulid(7))) is None


def test_get_own_comment_is_the_authors(face: Face) -> None:
    made = face.create(comment(7))
    assert face.run(P.get_own_comment("ann", uuid(1), ulid(7))) == made
    assert face.run(P.get_own_comment("bob", uuid(1), ulid(7))) is None


def test_comments_of_user_come_by_site_without_ratings(face: Face) -> None:
    made = [face.create(comment(n, after(hours=n), on=3 - n)) for n in range(3)]
    face.create(site())
    face.create(rating())
    face.create(comment(9, user="bob"))
    assert face.pages(P.comments_of_user("ann"), 2) == [[made[2], made[1]], [made[0]]]


def test_comments_of_user_on_site_come_oldest_first(face: Face) -> None:
    made = [face.create(comment(n, after(hours=n))) for n in range(3)]
    face.create(comment(9, on=2))
    assert face.pages(P.comments_of_user_on_site("ann", uuid(1)), 2) == [made[:2], made[2:]]


def test_list_my_comments_has_the_sites_that_still_exist(face: Face) -> None:
    here = face.create(site(1))
    made = [face.create(comment(n, after(hours=n))) for n in range(2)]
    late = face.create(comment(9, on=2))
    page, found = face.run(P.list_my_comments("ann"))
    assert page.items == (*made, late)
    assert found == [here]


def test_get_idempotency_ends_with_its_day(face: Face) -> None:
    made = face.create(once())
    assert face.run(P.get_idempotency("scope", "key")) == made
    face.clock.now = after(days=1)
    assert face.run(P.get_idempotency("scope", "key")) is None
    face.run(create(moved(made, expires_at=after(days=2))))
