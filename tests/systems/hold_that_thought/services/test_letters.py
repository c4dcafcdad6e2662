"""Hold That Thought's patterns about letters, their versions, comments and reactions."""

from __future__ import annotations

from tablewright import Range, delete, save, ulid_time
from tablewright.systems.hold_that_thought.design import LetterVersion, P, T
from tests.systems.faces import AT, Face, after, moved
from tests.systems.hold_that_thought.rows import DATE, comment, draft, letter, profile, reaction
from tests.systems.ids import ulid, uuid


def test_list_letters_returns_the_latest_date_first_page_by_page(face: Face) -> None:
    dates = ["1943-05-12", "1950-01-01", "1943-05-12-b", "1939-09-01"]
    made = {date: face.create(letter(date)) for date in dates}
    face.create(profile())
    face.create(draft())
    assert face.pages(P.list_letters(), 3) == [
        [made["1950-01-01"], made["1943-05-12-b"], made["1943-05-12"]],
        [made["1939-09-01"]],
    ]


def test_list_letters_leaves_out_marked_ones_and_contents(face: Face) -> None:
    made = face.create(letter("1950-01-01"))
    face.create(letter())
    face.run(save(made, moved(made, deleted_at=AT)))
    short = P.list_letters().select(lambda one: (one.date, one.title, one.version_count))
    assert "content" not in str(short.request.get("ExpressionAttributeNames"))
    assert face.run(short).items == ((DATE, "From Rome", 0),)
    [marked] = [item for item in face.items(T) if "deletedAt" in item]
    assert not {"GSI1PK", "GSI1SK"} & marked.keys()


def test_get_letter_does_not_see_a_marked_one(face: Face) -> None:
    made = face.create(letter(file_keys=["letters/1"], file_names=["front.jpg"]))
    assert face.run(P.get_letter(DATE)) == made
    assert face.run(P.get_letter(f"{DATE}-b")) is None
    face.run(save(made, moved(made, deleted_at=AT)))
    assert face.run(P.get_letter(DATE)) is None


def edited(face: Face, count: int) -> list[LetterVersion]:
    """A letter that was edited so often; what was replaced, oldest first."""
    old = face.create(letter())
    for n in range(1, count + 1):
        new = moved(old, content=f"text {n}", updated_at=after(hours=n), updated_by=f"u{n}")
        old = face.run(save(old, new))
    assert old.version_count == count
    texts = ["Dear all", *(f"text {n}" for n in range(1, count))]
    writers = ["ann", *(f"u{n}" for n in range(1, count))]
    return [
        LetterVersion(
            date=DATE,
            title="From Rome",
            content=texts[n],
            timestamp=after(hours=n + 1),
            version_number=n + 1,
            updated_by=writers[n],
        )
        for n in range(count)
    ]


def test_list_letter_versions_returns_replaced_texts_newest_first(face: Face) -> None:
    made = edited(face, 3)
    face.create(letter(f"{DATE}-b"))
    assert face.pages(P.list_letter_versions(DATE), 2) == [[made[2], made[1]], [made[0]]]
    numbers = P.list_letter_versions(DATE).select(lambda one: one.version_number)
    assert face.run(numbers).items == (3, 2, 1)


def test_versions_until_a_time_leave_later_ones_out(face: Face) -> None:
    made = edited(face, 3)
    until = P.versions_until(DATE, Range(None, after(hours=2)))
    assert face.run(until).items == tuple(made[:2])


def test_get_letter_version_is_the_text_before_that_moment(face: Face) -> None:
    made = edited(face, 2)
    assert face.run(P.get_letter_version(DATE, after(hours=2))) == made[1]
    assert face.run(P.get_letter_version(DATE, after(hours=3))) is None


def test_list_comments_of_item_returns_comments_oldest_first_and_no_reactions(face: Face) -> None:
    made = [face.create(comment(n, after(hours=n))) for n in range(5)]
    face.create(*(reaction(f"u{n}", to=made[n]) for n in range(5)))
    face.create(comment(9, on=uuid(1), item_type="media"))
    counted = [moved(one, reaction_count=1) for one in made]
    assert face.pages(P.list_comments_of_item(DATE), 2) == [
        counted[:2],
        counted[2:4],
        counted[4:],
    ]


def test_list_comments_of_item_fills_pages_though_deleted_comments_are_dropped(face: Face) -> None:
    made = [face.create(comment(n, after(hours=n))) for n in range(6)]
    for one in (made[0], made[2], made[3]):
        face.run(save(one, moved(one, deleted_at=AT, comment_text=None)))
    assert face.pages(P.list_comments_of_item(DATE), 2) == [[made[1], made[4]], [made[5]]]


def test_list_comments_of_item_works_for_pictures(face: Face) -> None:
    made = face.create(comment(on=uuid(7), item_type="media"))
    face.create(reaction(to=made))
    [found] = face.run(P.list_comments_of_item(uuid(7))).items
    assert found.reaction_count == 1


def test_list_comments_of_user_returns_newest_first_wherever_they_are(face: Face) -> None:
    made = [face.create(comment(n, after(hours=n), on=f"194{n}-01-01")) for n in range(3)]
    face.create(comment(8, user_id="bob"))
    face.create(reaction("ann", to=made[0]))
    face.run(save(made[1], moved(made[1], deleted_at=AT, comment_text=None)))
    pages = face.pages(P.list_comments_of_user("ann"), 1)
    assert [one.comment_id for page in pages for one in page] == [
        made[2].comment_id,
        made[0].comment_id,
    ]


def test_list_reactions_of_user_returns_newest_first(face: Face) -> None:
    said = [face.create(comment(n, after(hours=n))) for n in range(3)]
    made = [
        face.create(reaction("bob", to=said[n], created_at=after(hours=10 - n))) for n in range(3)
    ]
    face.create(reaction("eve", to=said[0]))
    face.create(comment(9, after(hours=9), user_id="bob"))
    assert face.pages(P.list_reactions_of_user("bob"), 2) == [made[:2], made[2:]]


def test_list_reactions_of_comment_returns_them_by_person(face: Face) -> None:
    one, two = face.create(comment(1)), face.create(comment(2))
    made = {name: face.create(reaction(name, to=one)) for name in ("eve", "bob", "cleo")}
    face.create(reaction("bob", to=two))
    assert face.pages(P.list_reactions_of_comment(DATE, one.comment_id), 2) == [
        [made["bob"], made["cleo"]],
        [made["eve"]],
    ]


def test_have_i_reacted_answers_for_a_page_of_comments(face: Face) -> None:
    said = [face.create(comment(n)) for n in range(3)]
    mine = face.create(reaction("bob", to=said[1], reaction_type="heart"))
    face.create(reaction("eve", to=said[0]))
    op = P.have_i_reacted(DATE, [one.comment_id for one in said], "bob")
    assert face.run(op.aligned()) == [None, mine, None]
    assert face.run(op) == [mine]
    face.run(delete(mine))
    assert face.run(op) == []


def test_reactions_of_person_answers_for_comments_on_several_items(face: Face) -> None:
    said = [face.create(comment(1)), face.create(comment(2, on=uuid(4), item_type="media"))]
    mine = [face.create(reaction("bob", to=one)) for one in said]
    face.create(reaction("eve", to=said[0]))
    ids = [one.item_id for one in said], [one.comment_id for one in said]
    assert face.run(P.reactions_of_person(*ids, "bob")) == mine
    assert face.run(P.reactions_of_person(*ids, "eve").aligned())[1] is None


def test_comments_are_read_from_several_items_without_marked_ones(face: Face) -> None:
    said = [
        face.create(comment(1)),
        face.create(comment(2, after(seconds=1), on=uuid(4), item_type="media")),
        face.create(comment(3)),
    ]
    face.run(save(said[2], moved(said[2], deleted_at=AT, comment_text=None)))
    op = P.comments(
        [one.item_id for one in said],
        [one.created_at for one in said],
        [one.comment_id for one in said],
    )
    assert face.run(op.aligned()) == [said[0], said[1], None]


def test_get_comment_needs_only_its_id_for_its_time(face: Face) -> None:
    made = face.create(comment(7))
    assert ulid_time(ulid(7)) == AT
    assert face.run(P.get_comment(DATE, ulid_time(ulid(7)), ulid(7))) == made
    assert face.run(P.get_comment(DATE, AT, ulid(8))) is None
    marked = face.run(save(made, moved(made, deleted_at=AT, comment_text=None)))
    assert face.run(P.get_comment(DATE, AT, ulid(7))) is None
    assert face.run(P.get_comment(DATE, AT, ulid(7)).with_marked()) == marked


def test_list_drafts_returns_newest_first_page_by_page(face: Face) -> None:
    made = [face.create(draft(n, after(hours=n))) for n in range(3)]
    face.create(letter())
    assert face.pages(P.list_drafts(), 2) == [[made[2], made[1]], [made[0]]]
    published = face.run(save(made[2], moved(made[2], status="published")))
    waiting = P.list_drafts().where(lambda one: one.status != "published")
    assert face.run(waiting).items == (made[1], made[0])
    assert published.version == 2


def test_get_draft_returns_one(face: Face) -> None:
    made = face.create(draft(extracted_data={"date": DATE, "title": "T"}))
    assert face.run(P.get_draft(uuid(1))) == made
    assert face.run(P.get_draft(uuid(2))) is None
