"""Who may do what, as a table.

A role is had in a league, and read with every request: what is taken away is gone at once. Each
action needs a role at least; those without it are told one code, whether they have another role or
none, and whether the league exists or not. Nothing is read here.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, Literal

from tablewright.systems.threefc.design import Game, League, Role
from tablewright.web.http.problems import Problem

__all__ = ["RULES", "Action", "Caller", "Member", "Rule", "require"]

_RANKS: Final[Mapping[Role | None, int]] = {None: 0, "viewer": 1, "scorekeeper": 2, "admin": 3}


@dataclass(frozen=True)
class Caller:
    """A signed-in person; the id is the e-mail address."""

    user_id: str
    expires_at: float  # When the sign-in ends, in seconds since the epoch.


@dataclass(frozen=True)
class Member:
    """A person with a role in a league that is there."""

    user_id: str
    role: Role
    league: League

    @property
    def is_admin(self) -> bool:
        return self.role == "admin"

    def require_open(self, game: Game) -> None:
        """Raise 409 for a game that is over; admins may still set right what is wrong with it."""
        if game.status == "finished" and not self.is_admin:
            raise Problem(409, "game_finished", "This game is finished.")


Action = Literal[
    "read league",
    "manage league",
    "manage access",
    "keep players",
    "keep score",
    "read audit",
    "claim player",
]


@dataclass(frozen=True)
class Rule:
    """The role that an action needs at least, and what those without it are told."""

    role: Role
    code: str
    told: str

    def allows(self, role: Role | None) -> bool:
        return _RANKS[role] >= _RANKS[self.role]


_MEMBER: Final = Rule("viewer", "league_access_required", "You have no access to this league.")
_KEEPER: Final = Rule("scorekeeper", "scorekeeper_required", "This is for scorekeepers.")
_ADMIN: Final = Rule("admin", "admin_required", "This is for admins of the league.")

RULES: Final[Mapping[Action, Rule]] = {
    "read league": _MEMBER,
    "manage league": _ADMIN,  # Its seasons, teams, sessions and games too; and reopening.
    "manage access": _ADMIN,  # One's own access is everybody's to look at and to give up.
    "keep players": _KEEPER,
    "keep score": _KEEPER,  # Rosters, goals, start and finish.
    "read audit": _KEEPER,
    "claim player": _MEMBER,  # A claim is given up by its claimant, or taken by an admin.
}


def require(action: Action, role: Role | None) -> None:
    """Raise 403 without the role that an action needs."""
    rule = RULES[action]
    if not rule.allows(role):
        raise Problem(403, rule.code, rule.told)
