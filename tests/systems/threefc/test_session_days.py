"""Which session a season has on a day."""

from __future__ import annotations

from datetime import date

from tablewright import delete
from tablewright.systems.threefc.design import P
from tests.systems.faces import Face
from tests.systems.ids import ulid

from .rows import league, season, session


def test_get_session_day_names_the_session_of_that_day(face: Face) -> None:
    face.create(league())
    face.create(season())
    face.create(season(11))
    held = face.create(session(day=1))
    face.create(session(21, day=2), session(22, of=11, day=1))
    found = face.run(P.get_session_day(ulid(10), date(2096, 3, 1)).required())
    assert (found.session_id, found.season_id) == (ulid(20), ulid(10))
    assert face.run(P.get_session_day(ulid(10), date(2096, 3, 3))) is None
    face.run(delete(held))
    assert face.run(P.get_session_day(ulid(10), date(2096, 3, 1))) is None
