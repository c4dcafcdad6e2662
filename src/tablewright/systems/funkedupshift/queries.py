"""Query parameters of FunkedUpShift's lists, as they are read and as they are documented."""

from __future__ import annotations

from typing import Any, Final

from fastapi import Request

from tablewright.systems.funkedupshift.services.matches import Filters
from tablewright.systems.funkedupshift.shapes import TagText
from tablewright.web.http.field_types import UuidText
from tablewright.web.http.problems import field_problem
from tablewright.web.http.queries import Queries

__all__ = [
    "COMMENTS_DEFAULT",
    "COMMENT_QUERY",
    "MATCH_QUERY",
    "OWN_COMMENT_QUERY",
    "PLAYER_MATCH_QUERY",
    "SITE_QUERY",
    "STARS_QUERY",
    "USERS_MAX",
    "USER_QUERY",
    "match_filters",
    "site_tag",
]

Query = dict[str, dict[str, Any]]

COMMENTS_DEFAULT: Final = 20
USERS_MAX: Final = 60
PLAYERS_MAX: Final = 10

SITE_QUERY: Final[Query] = {
    "tag": {"schema": {"type": "string", "minLength": 1, "maxLength": 40}},
    "q": {"schema": {"type": "string", "minLength": 1, "maxLength": 100}},
}
STARS_QUERY: Final[Query] = {
    "stars": {"required": True, "schema": {"type": "integer", "minimum": 1, "maximum": 5}}
}
COMMENT_QUERY: Final[Query] = {
    "limit": {
        "schema": {"type": "integer", "minimum": 1, "maximum": 200, "default": COMMENTS_DEFAULT}
    }
}
OWN_COMMENT_QUERY: Final[Query] = {"siteId": {"schema": {"type": "string", "format": "uuid"}}}
USER_QUERY: Final[Query] = {
    "limit": {"schema": {"type": "integer", "minimum": 1, "maximum": USERS_MAX, "default": 50}}
}
_DAY: Final = {"schema": {"type": "string", "format": "date"}}
PLAYER_MATCH_QUERY: Final[Query] = {
    "date": _DAY,
    "dateFrom": _DAY,
    "dateTo": _DAY,
    "order": {"schema": {"enum": ["asc", "desc"], "default": "asc"}},
}
MATCH_QUERY: Final[Query] = PLAYER_MATCH_QUERY | {
    "playerIds": {
        "description": f"1 to {PLAYERS_MAX} ids with commas between them.",
        "schema": {"type": "string"},
    },
    "playerMode": {"schema": {"enum": ["and", "or"], "default": "and"}},
}


def site_tag(request: Request) -> str | None:
    return Queries(request).text("tag", TagText)


def match_filters(request: Request, player_id: str | None = None) -> Filters:
    """Which matches a list is to have: of one player, or of those that the query names."""
    query = Queries(request)
    date, first, last = query.day("date"), query.day("dateFrom"), query.day("dateTo")
    is_descending = query.choice("order", ("asc", "desc"), "asc") == "desc"
    players, is_any_enough = [player_id or ""], False
    if player_id is None:
        # No id at all is not the same as no filter: that would be all matches.
        if request.query_params.get("playerIds") == "":
            raise field_problem("playerIds", f"must have 1 to {PLAYERS_MAX} values")
        players = query.several("playerIds", UuidText, 1, PLAYERS_MAX)
        is_any_enough = query.choice("playerMode", ("and", "or"), "and") == "or"
    if date is not None:
        first = last = date  # It wins over a range.
    if (first is None) != (last is None):
        raise field_problem("dateTo" if last is None else "dateFrom", "is needed too")
    if first is not None and last is not None and first > last:
        raise field_problem("dateFrom", "must not be after dateTo")
    return Filters(
        first=first,
        last=last,
        player_ids=frozenset(players),
        is_any_enough=is_any_enough,
        is_descending=is_descending,
    )
