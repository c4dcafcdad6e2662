"""Entities of the systems that depend on each other, and what may be done with them at random.

Ids are few, so that histories meet the same rows often. What the systems themselves refuse (a
league that still has seasons goes, say) is refused here by the same conditions.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import date
from typing import Any

from hypothesis import strategies as st
from pydantic import BaseModel

from tablewright import Query, Table
from tablewright.systems.funkedupshift import design as fus
from tablewright.systems.hold_that_thought import design as htt
from tablewright.systems.roll_model import design as roll
from tablewright.systems.threefc import design as threefc

from .faces import AT, after
from .funkedupshift import rows as fus_rows
from .hold_that_thought import rows as htt_rows
from .ids import ulid
from .roll_model import rows as roll_rows
from .threefc import rows as threefc_rows

__all__ = ["FAMILIES", "Family"]

Fields = dict[str, Any]


@dataclass(frozen=True)
class Family:
    """Entities that depend on each other, and what may be done with them."""

    table: Table
    rows: st.SearchStrategy[BaseModel]
    changes: dict[type[BaseModel], st.SearchStrategy[Fields]]
    # What must be true of a row before it may go, so that nothing counts on what is not there.
    unused: dict[type[BaseModel], Callable[[Any], Any]] = field(default_factory=dict)
    children: dict[type[BaseModel], Callable[[Any], list[Query[Any]]]] = field(default_factory=dict)
    roots: tuple[BaseModel, ...] = ()  # What is there from the beginning.


# Roll Model: words in both partitions, metas, links.

WORDS = st.lists(st.sampled_from(["guard", "sweep", "knee", "pass", "mount"]), max_size=4)
TEXT = WORDS.map(" ".join)
TAGS = st.lists(st.sampled_from(["Open Guard", "guard", "no-gi", "x"]), max_size=3).map(tuple)
MARK: st.SearchStrategy[Fields] = st.just({"deleted_at": AT})


def metrics(tags: tuple[str, ...]) -> roll.SessionMetrics:
    return roll_rows.entry(tags=tags).session_metrics


ENTRIES = st.builds(
    lambda n, shared, private, tags: roll_rows.entry(
        n, after(hours=n), "ab"[n % 2], shared=shared, private=private, tags=tags
    ),
    st.integers(0, 2),
    TEXT,
    TEXT,
    TAGS,
)
JOURNAL = Family(
    roll.T,
    ENTRIES
    | st.builds(
        lambda n, on: roll_rows.comment(10 * on + n, after(seconds=n), on),
        st.integers(1, 2),
        st.integers(0, 2),
    )
    | st.builds(roll_rows.link, st.sampled_from("ab"), st.sampled_from("cd")),
    {
        roll.Entry: st.builds(
            lambda shared, private: {"sections": roll.Sections(private=private, shared=shared)},
            TEXT,
            TEXT,
        )
        | TAGS.map(lambda tags: {"session_metrics": metrics(tags)})
        | MARK,
        roll.Comment: st.fixed_dictionaries({"body": st.sampled_from("xy")}),
        roll.CoachLink: st.fixed_dictionaries({"status": st.sampled_from(["active", "revoked"])}),
    },
    children={roll.Entry: lambda one: [roll.P.list_comments_of_entry(one.entry_id)]},
    roots=(roll_rows.entry(0, athlete="a", shared="guard sweep", private="knee"),),
)

# FunkedUpShift: tags, totals of ratings, matches with four players each.

STARS = st.integers(1, 5)
SEATS = st.permutations([1, 2, 3, 4, 5, 6]).map(lambda order: tuple(order[:4]))
DAYS = st.sampled_from([date(2096, 3, 1), date(2096, 3, 2)])


def seats(players: tuple[int, ...]) -> Fields:
    told = fus_rows.match(players=players)
    return {name: getattr(told, name) for name in fus_rows.SEATS}


CATALOGUE = Family(
    fus.T,
    st.builds(
        lambda n, tags: fus_rows.site(n, tags=tags),
        st.integers(1, 2),
        st.lists(st.sampled_from("abc"), unique=True),
    )
    | st.builds(fus_rows.rating, st.sampled_from("uvw"), st.integers(1, 2), STARS),
    {
        fus.Site: st.fixed_dictionaries({"tags": st.lists(st.sampled_from("abc"), unique=True)})
        | st.fixed_dictionaries({"title": st.sampled_from("tu")})
        | MARK,
        fus.Rating: st.fixed_dictionaries({"stars": STARS})
        | st.fixed_dictionaries({"note": st.none() | st.just("n")}),
    },
    children={fus.Site: lambda one: list(fus.P.ratings_of_site([1, 2, 3, 4, 5], one.id).queries)},
    roots=(fus_rows.site(1, tags=["a"]), fus_rows.rating("u", 1, 3)),
)
SQUASH = Family(
    fus.T,
    st.builds(
        lambda n, user: fus_rows.player(n, user_id=user),
        st.integers(1, 6),
        st.none() | st.sampled_from("uv"),
    )
    | st.builds(
        lambda n, players, day: fus_rows.match(100 + n, players, date=day),
        st.integers(0, 2),
        SEATS,
        DAYS,
    ),
    {
        fus.Player: st.fixed_dictionaries({"user_id": st.none() | st.sampled_from("uv")})
        | st.fixed_dictionaries({"name": st.sampled_from(["A", "#b"])}),
        fus.Match: SEATS.map(seats) | st.fixed_dictionaries({"date": DAYS}),
    },
    unused={fus.Player: lambda one: one.match_count == 0},
    roots=(*(fus_rows.player(n) for n in range(1, 6)), fus_rows.match(100)),
)

# 3FC: mirrors, guards and counters from the league down to the roster.

TEAMS = st.sampled_from(["red", "blue", "yellow"])
ROLES = st.sampled_from(["admin", "viewer"])
SLUGS = st.none() | st.sampled_from("st")
LEAGUES = Family(
    threefc.T,
    st.builds(lambda n, slug: threefc_rows.league(n, slug=slug), st.integers(1, 2), SLUGS)
    | st.builds(threefc_rows.acl, st.sampled_from("uv"), ROLES, st.integers(1, 2))
    | st.builds(
        lambda n, of, slug: threefc_rows.season(n, of, slug=slug),
        st.integers(10, 11),
        st.integers(1, 2),
        SLUGS,
    )
    | st.builds(threefc_rows.session, st.integers(20, 21), st.integers(10, 11), st.integers(1, 2)),
    {
        threefc.League: st.fixed_dictionaries({"slug": SLUGS}),
        threefc.Acl: st.fixed_dictionaries({"role": ROLES}),
        threefc.Season: st.fixed_dictionaries({"slug": SLUGS})
        | st.fixed_dictionaries({"name": st.sampled_from("mn")})
        | st.fixed_dictionaries({"league_id": st.sampled_from([ulid(1), ulid(2)])}),
        threefc.Session: st.fixed_dictionaries({"session_date": DAYS})
        | st.fixed_dictionaries({"season_id": st.sampled_from([ulid(10), ulid(11)])}),
    },
    unused={
        threefc.League: lambda one: one.season_count == 0,
        threefc.Season: lambda one: one.session_count == 0,
        threefc.Session: lambda one: one.game_count == 0,
    },
    children={threefc.League: lambda one: [threefc.P.list_acl(one.league_id)]},
    roots=(threefc_rows.league(1), threefc_rows.season(10)),
)
SESSIONS = st.sampled_from([ulid(20), ulid(21)])
GAMES = Family(
    threefc.T,
    st.builds(lambda n: threefc_rows.session(n, day=n), st.integers(20, 21))
    | st.builds(
        lambda n, h, of: threefc_rows.game(n, after(hours=h), of),
        st.integers(30, 31),
        st.integers(0, 1),
        st.integers(20, 21),
    )
    | st.builds(threefc_rows.player, st.integers(50, 51), st.sampled_from(["Zed", "abe"]))
    | st.builds(threefc_rows.roster, st.integers(50, 51), TEAMS, st.integers(30, 31)),
    {
        threefc.Session: st.fixed_dictionaries({"session_date": DAYS}),
        threefc.Game: st.integers(0, 2).map(lambda h: {"game_start_ts": after(hours=h)})
        | st.fixed_dictionaries({"session_id": SESSIONS})
        | st.fixed_dictionaries({"status": st.sampled_from(["live", "finished"])})
        | MARK,
        threefc.Player: st.fixed_dictionaries({"nickname": st.sampled_from(["Zed", "zed", "Y"])}),
        threefc.Roster: st.fixed_dictionaries({"team_id": TEAMS}),
    },
    unused={
        threefc.Session: lambda one: one.game_count == 0,
        threefc.Player: lambda one: one.roster_count == 0,
    },
    children={threefc.Game: lambda one: [threefc.P.list_roster(one.game_id)]},
    roots=(
        threefc_rows.league(),
        threefc_rows.season(),
        threefc_rows.session(),
        threefc_rows.game(),
        threefc_rows.player(),
        threefc_rows.roster(),
    ),
)

# Hold That Thought: reactions that count on comments.

COMMENTS = st.builds(lambda n: htt_rows.comment(n, after(hours=n)), st.integers(0, 1))
REACTIONS = Family(
    htt.T,
    COMMENTS
    | st.builds(
        lambda user, to, kind: htt_rows.reaction(user, to, reaction_type=kind),
        st.sampled_from("uvw"),
        COMMENTS,
        st.sampled_from(["like", "heart"]),
    )
    | st.just(htt_rows.letter()),
    {
        htt.Comment: st.fixed_dictionaries({"comment_text": st.none() | st.just("t")})
        | st.just({"deleted_at": AT, "comment_text": None}),
        htt.Reaction: st.fixed_dictionaries({"reaction_type": st.sampled_from(["like", "heart"])}),
        htt.Letter: st.integers(1, 3).map(
            lambda n: {"content": f"{n}", "updated_at": after(hours=n)}
        )
        | MARK,
    },
    children={
        htt.Comment: lambda one: [htt.P.list_reactions_of_comment(one.item_id, one.comment_id)],
        htt.Letter: lambda one: [htt.P.list_letter_versions(one.date)],
    },
    roots=(htt_rows.comment(0), htt_rows.reaction("u", htt_rows.comment(0))),
)

FAMILIES = {
    "entries": JOURNAL,
    "ratings": CATALOGUE,
    "matches": SQUASH,
    "leagues": LEAGUES,
    "games": GAMES,
    "reactions": REACTIONS,
}
