"""FunkedUpShift's patterns about squash: players, matches, who played."""

from __future__ import annotations

from datetime import date, timedelta

import pytest

from tablewright import Range, delete, save
from tablewright.systems.funkedupshift.design import Match, P, Participation, SquashLink
from tests.systems.faces import Face, moved
from tests.systems.ids import uuid

from .rows import DAY, match, player, site


@pytest.fixture
def played(face: Face) -> list[Match]:
    """Matches on 1, 2, 2 and 9 March, of five players."""
    face.create(*(player(n) for n in range(1, 7)))
    days = (0, 1, 1, 8)
    seats = ((1, 2, 3, 4), (1, 2, 3, 5), (2, 3, 4, 5), (1, 3, 4, 5))
    return [
        face.create(match(103 - n, seats[n], date=DAY + timedelta(days=days[n]))) for n in range(4)
    ]


def test_list_players_returns_them_by_name_page_by_page(face: Face) -> None:
    named = ["cleo", "Anna", "bob", "ann"]
    made = {name: face.create(player(n, name)) for n, name in enumerate(named)}
    face.create(site())
    assert face.pages(P.list_players(), 2) == [
        [made["ann"], made["Anna"]],
        [made["bob"], made["cleo"]],
    ]
    renamed = face.run(save(made["ann"], moved(made["ann"], name="#Zoe")))
    assert face.run(P.list_players()).items[-1] == renamed


def test_get_player_returns_one(face: Face) -> None:
    made = face.create(player(1, email="ann@example.org"))
    assert face.run(P.get_player(uuid(1))) == made
    assert face.run(P.get_player(uuid(2))) is None


def test_players_returns_those_that_are_there(face: Face) -> None:
    made = [face.create(player(n)) for n in (1, 2)]
    assert face.run(P.players([uuid(2), uuid(9), uuid(1)])) == made[::-1]


def test_get_player_of_user_follows_the_link(face: Face) -> None:
    made = face.create(player(1, user_id="ann"))
    assert face.run(P.get_player_of_user("ann")) == SquashLink(user_id="ann", player_id=uuid(1))
    face.run(save(made, moved(made, user_id="bob")))
    assert face.run(P.get_player_of_user("ann")) is None
    assert face.run(P.get_player_of_user("bob")) is not None


def test_list_matches_on_date_returns_that_days_by_id(face: Face, played: list[Match]) -> None:
    day = DAY + timedelta(days=1)
    assert face.pages(P.list_matches_on_date(day), 1) == [[played[2]], [played[1]]]
    assert face.run(P.list_matches_on_date(DAY + timedelta(days=2))).items == ()


def test_list_matches_in_range_has_both_ends_in_date_order(face: Face, played: list[Match]) -> None:
    def found(low: int | None, high: int | None) -> list[Match]:
        days = [None if n is None else date(2096, 3, n) for n in (low, high)]
        return face.run(P.list_matches_in_range(Range(*days)).all())

    assert found(1, 5) == [played[0], played[2], played[1]]
    assert found(2, 2) == [played[2], played[1]]
    assert found(2, 9) == [played[2], played[1], played[3]]
    assert found(9, None) == [played[3]]
    assert found(3, 8) == []


def test_list_matches_in_range_is_paged_and_can_be_turned_round(
    face: Face, played: list[Match]
) -> None:
    query = P.list_matches_in_range(Range(DAY, date(2096, 3, 5)))
    assert face.pages(query, 2) == [[played[0], played[2]], [played[1]]]
    assert face.pages(query.newest_first(), 2) == [[played[1], played[2]], [played[0]]]


def test_list_matches_returns_all_by_day_and_id(face: Face, played: list[Match]) -> None:
    assert face.pages(P.list_matches(), 3) == [[played[0], played[2], played[1]], [played[3]]]


def test_list_matches_follows_a_match_to_another_day(face: Face, played: list[Match]) -> None:
    later = face.run(save(played[0], moved(played[0], date=DAY + timedelta(days=20))))
    assert face.run(P.list_matches()).items[-1] == later
    assert face.run(P.list_matches_on_date(DAY)).items == ()


def test_participations_of_several_players_come_one_after_another(
    face: Face, played: list[Match]
) -> None:
    found = face.run(P.participations_of([uuid(5), uuid(1), uuid(6)]))
    assert [(row.player_id, row.match_id) for row in found] == [
        *((uuid(5), uuid(n)) for n in (100, 101, 102)),
        *((uuid(1), uuid(n)) for n in (100, 102, 103)),
    ]
    assert found[-1] == Participation(player_id=uuid(1), match_id=uuid(103), played_on=DAY)


def test_matches_come_in_the_order_they_are_asked_for(face: Face, played: list[Match]) -> None:
    assert face.run(P.matches([uuid(100), uuid(999), uuid(103)])) == [played[3], played[0]]


def test_list_matches_of_players_returns_each_once_by_day(face: Face, played: list[Match]) -> None:
    assert face.run(P.list_matches_of_players([uuid(1), uuid(2)])) == [
        played[0],
        played[2],
        played[1],
        played[3],
    ]
    assert face.run(P.list_matches_of_players([uuid(6)])) == []


def test_list_matches_of_players_does_not_show_what_was_deleted(
    face: Face, played: list[Match]
) -> None:
    face.run(delete(played[0]))
    assert face.run(P.list_matches_of_players([uuid(1)])) == [played[1], played[3]]


def test_get_match_returns_one(face: Face, played: list[Match]) -> None:
    assert face.run(P.get_match(uuid(103))) == played[0]
    assert face.run(P.get_match(uuid(999))) is None
