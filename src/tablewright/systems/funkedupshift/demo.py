"""Data to look at: a catalogue with opinions, a few groups, half a year of squash. Always the same.

Ada is the admin, Mia a manager; Ann, Ben, Cleo and Dan are users. Who has a role has it by a token.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Any, Final
from uuid import UUID

from pydantic import BaseModel
from ulid import ULID

from tablewright import create
from tablewright.systems.funkedupshift.design import (
    Comment,
    Group,
    Match,
    Membership,
    Player,
    Profile,
    Rating,
    Site,
)
from tablewright.web.services.services import Services

__all__ = ["demo_rows", "fill"]

_START: Final = datetime(2025, 9, 1, 18, 30, tzinfo=UTC)
_SEED: Final = 2025
_PEOPLE: Final = {
    "ada": ("Ada Admin", None),
    "ann": ("Ann Ace", "Plays on Tuesdays."),
    "ben": ("Ben Boast", "Front-end by day, back court by night."),
    "cleo": ("Cleo Crosscourt", None),
    "dan": ("Dan Drop", "New here."),
    "mia": ("Mia Manager", "Ask me about groups."),
}
_SITES: Final = (
    ("https://semicolons.example/", "The Semicolon Society", ["javascript", "opinions"]),
    ("https://snakes.example/docs/", "Snakes and Brackets", ["python", "reference"]),
    ("https://one-table.example/", "One Table Is Enough", ["dynamodb", "databases"]),
    ("https://pages.example/b-trees", "A Walk Through B-Trees", ["databases", "c"]),
    ("https://hypertext.example/essays/", "Essays on Hypertext", ["javascript", "opinions"]),
    ("https://proposals.example/", "Index of Proposals", ["python", "reference"]),
    ("https://broken.example/reports", "How Databases Break", ["databases", "testing"]),
    ("https://random.example/", "Let a Machine Write the Test", ["python", "testing"]),
    ("https://boxes.example/", "Boxes, Margins and Despair", ["css", "javascript"]),
    ("https://tin.example/", "Above the Tin", ["squash", "sport"]),
    ("https://crossword.example/", "Regular Crosswords", ["games", "regular expressions"]),
    ("https://commas.example/sql", "Leading Commas", ["databases", "opinions"]),
)
_DESCRIPTIONS: Final = (
    "What I open first in the morning.",
    "Long, but worth every page.\nBegin with the second chapter.",
    "Short and exact.",
    None,
)
_NOTES: Final = ("Saved my week.", "Too many pop-ups.", "Read it twice.", None, None)
_COMMENTS: Final = (
    "The part about indexes is the clearest I know.",
    "Does anybody have something like this for beginners?",
    "It moved last month, the link still works.",
    "I disagree with half of it, which is why I like it.",
    "Bookmarked.",
)
_GROUPS: Final[dict[str, dict[str, Any]]] = {
    "Book-Club": {
        "description": "A chapter a week.",
        "permissions": ["suggest books"],
        "join_policy": "open",
    },
    "Squash": {"description": "Doubles, now and then.", "permissions": ["read squash"]},
    "Test_Pilots": {"permissions": ["try what is new", "complain"], "join_policy": "open"},
}
_MEMBERS: Final = {
    "Book-Club": ("ann", "cleo", "dan"),
    "Squash": ("ann", "ben", "mia"),
    "Test_Pilots": ("ben", "dan"),
}
_PLAYERS: Final = (
    ("Ann Ace", "ann"),
    ("Ben Boast", "ben"),
    ("Eve Edge", None),
    ("Finn Forehand", None),
    ("Gil Gallery", None),
    ("Mia Manager", "mia"),
)
_MATCHES: Final = 30


async def fill(services: Services) -> None:
    """Put the data into an empty store."""
    for row in demo_rows():
        await services.store.run(create(row))


def demo_rows() -> Iterator[BaseModel]:
    """Everything that people made; what follows from it is derived."""
    chance = random.Random(_SEED)
    yield from _people(chance)
    yield from _groups()
    sites = [_site(chance, number) for number in range(len(_SITES))]
    yield from sites
    for site in sites:
        yield from _ratings(chance, site)
        yield from _comments(chance, site)
    yield from _squash(chance)


def _id(chance: random.Random) -> str:
    return str(UUID(int=chance.getrandbits(128), version=4))


def _ulid(chance: random.Random, at: datetime) -> str:
    millis = int(at.timestamp() * 1000)
    return str(
        ULID.from_bytes(millis.to_bytes(6, "big") + chance.getrandbits(79).to_bytes(10, "big"))
    )


def _people(chance: random.Random) -> Iterator[Profile]:
    for user_id, (name, description) in _PEOPLE.items():
        yield Profile(
            user_id=user_id,
            name=name,
            email=f"{user_id}@example.org",
            description=description,
            created_at=_START,
            updated_at=_START,
            last_login_at=_START + timedelta(days=chance.randrange(150, 180)),
            last_login_ip=f"192.0.2.{chance.randrange(1, 255)}",
        )


def _groups() -> Iterator[BaseModel]:
    for name, fields in _GROUPS.items():
        yield Group(name=name, created_at=_START, updated_at=_START, **fields)
        for user_id in _MEMBERS[name]:
            by_herself = fields.get("join_policy") == "open"
            yield Membership(
                group_name=name,
                user_id=user_id,
                added_at=_START + timedelta(days=1),
                added_by=user_id if by_herself else "ada",
                group_created_at=_START,
            )


def _site(chance: random.Random, number: int) -> Site:
    url, title, tags = _SITES[number]
    at = _START + timedelta(days=9 * number, minutes=chance.randrange(600))
    return Site(
        id=_id(chance),
        url=url,
        title=title,
        description=chance.choice(_DESCRIPTIONS),
        scraped_content=f"{title}\n\n(What was found at {url} on {at:%d %B %Y}.)",
        tags=tags,
        created_at=at,
        updated_at=at,
    )


def _ratings(chance: random.Random, site: Site) -> Iterator[Rating]:
    for user_id in chance.sample(sorted(_PEOPLE), chance.randint(0, len(_PEOPLE))):
        at = site.created_at + timedelta(hours=chance.randrange(2, 2000))
        yield Rating(
            user_id=user_id,
            site_id=site.id,
            stars=chance.choice((2, 3, 4, 4, 5, 5)),
            note=chance.choice(_NOTES),
            created_at=at,
            updated_at=at,
        )


def _comments(chance: random.Random, site: Site) -> Iterator[Comment]:
    for _ in range(chance.randint(0, 4)):
        user_id = chance.choice(sorted(_PEOPLE))
        at = site.created_at + timedelta(minutes=chance.randrange(10, 100_000))
        yield Comment(
            comment_id=_ulid(chance, at),
            site_id=site.id,
            user_id=user_id,
            user_name=_PEOPLE[user_id][0],
            body=chance.choice(_COMMENTS),
            created_at=at,
            updated_at=at,
        )


def _squash(chance: random.Random) -> Iterator[BaseModel]:
    players = [
        Player(
            player_id=_id(chance),
            name=name,
            email=f"{user_id}@example.org" if user_id else None,
            user_id=user_id,
            created_at=_START,
            updated_at=_START,
        )
        for name, user_id in _PLAYERS
    ]
    yield from players
    for number in range(_MATCHES):
        at = _START + timedelta(days=1 + 3 * number, hours=3)
        four = [player.player_id for player in chance.sample(players, 4)]
        lost, is_first = chance.randint(0, 2), chance.random() < 0.5
        yield Match(
            match_id=_id(chance),
            date=at.date(),
            team_a_player1_id=four[0],
            team_a_player2_id=four[1],
            team_b_player1_id=four[2],
            team_b_player2_id=four[3],
            winning_team="A" if is_first else "B",
            team_a_games=3 if is_first else lost,
            team_b_games=lost if is_first else 3,
            created_at=at,
            updated_at=at,
        )
