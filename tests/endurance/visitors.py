"""People who use the five systems at random, and remember what they were told.

A visitor makes one call at a time with ``visit``; whatever a system acknowledged to it must be
there when it looks again with ``faults``. Rows that several visitors write (ratings of one site,
reactions to one comment, places in one roster) are for the drift of counters and derived rows.
"""

from __future__ import annotations

import random
from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, ClassVar, NamedTuple, Protocol

__all__ = ["VISITORS", "Curator", "Json", "Reply", "Send", "Unanswered", "Visitor", "visitors"]

Json = dict[str, Any]
KEPT_MAX = 200  # Rows that a visitor remembers: in a long run the older ones are let go.


class Reply(NamedTuple):
    status: int
    body: Any
    etag: str | None = None


class Unanswered(Exception):
    """Nobody knows whether the call had an effect."""


class Send(Protocol):
    """Makes one call; raises Unanswered if the answer did not come."""

    def __call__(self, method: str, path: str, body: Json | None, headers: Json) -> Reply: ...


@dataclass
class Row:
    """A row that a visitor alone writes, as it was acknowledged last; None if it is deleted."""

    path: str
    fields: Json | None
    etag: str | None = None


@dataclass
class Visitor(ABC):
    """Somebody who uses one system."""

    send: Send
    name: str
    chance: random.Random
    rows: list[Row] = field(default_factory=list)
    statuses: dict[int, int] = field(default_factory=dict)
    broken: list[str] = field(default_factory=list)  # Answers that no contract allows.
    acknowledged: int = 0
    _headers: Json = field(default_factory=dict)
    _alias: str = ""
    _calls: int = 0

    mount: ClassVar[str] = ""
    groups: ClassVar[list[str]] = []
    remembers_deleted: ClassVar[bool] = True

    def call(self, method: str, path: str, body: Json | None = None, **headers: str) -> Reply:
        """One call as this person. A write carries a key of its own, a change what it was read as.

        Raises Unanswered for answers that say that they do not know, too.
        """
        self._calls += 1
        sent = {name.replace("_", "-"): value for name, value in headers.items()}
        if method == "POST":
            sent["Idempotency-Key"] = f"{self.name}-{self._calls}"
        sent |= self.credentials()
        reply = self.send(method, self.mount + path, body, sent)
        if reply.status == 401 and self._headers:
            self._headers = {}  # The token has expired.
            reply = self.send(method, self.mount + path, body, sent | self.credentials())
        self.statuses[reply.status] = self.statuses.get(reply.status, 0) + 1
        if reply.status in (429, 503):
            raise Unanswered
        if reply.status >= 500:
            self.broken.append(f"{method} {self.mount}{path}: {reply.status} {reply.body}")
            raise Unanswered
        if method != "GET" and reply.status < 300:
            self.acknowledged += 1
        return reply

    def credentials(self) -> Json:
        if not self._headers:
            self._headers = self.credentials_of(self._alias or self.name)
        return self._headers

    def credentials_of(self, sub: str) -> Json:
        """What somebody's calls carry."""
        person = {"sub": sub, "name": sub, "email": f"{sub}@example.org"}
        reply = self.send("POST", "/dev/token", person | {"groups": self.groups}, {})
        if reply.status >= 300:
            raise Unanswered
        return {"Authorization": f"Bearer {reply.body['accessToken']}"}

    def visit(self) -> None:
        """Do something at random; raises Unanswered if the answer did not come."""
        self.chance.choice([self.create, self.change, self.share, self.read, self.remove])()

    # What may be done; each system says how.

    @abstractmethod
    def create(self) -> None:
        """Make a row of one's own."""

    @abstractmethod
    def share(self) -> None:
        """Write what others write, too."""

    @abstractmethod
    def changed(self, row: Row) -> tuple[str, Json]:
        """The method and body that change one of one's own rows."""

    @abstractmethod
    def lists(self) -> list[str]:
        """Paths of lists to look at."""

    def keep(self, reply: Reply, path: str, fields: Json) -> None:
        """Remember a row that was acknowledged."""
        if reply.status in (200, 201):
            self.rows.append(Row(path, fields, reply.etag))
            del self.rows[: max(0, len(self.rows) - KEPT_MAX)]

    def some(self) -> Row | None:
        there = [row for row in self.rows if row.fields is not None]
        return self.chance.choice(there) if there else None

    def change(self) -> None:
        row = self.some()
        if row is None:
            return
        method, body = self.changed(row)
        self.rows.remove(row)  # Until it is known again what it is.
        headers = {"If_Match": row.etag} if row.etag else {}
        reply = self.call(method, row.path, body, **headers)
        if reply.status == 200:
            self.rows.append(Row(row.path, {**(row.fields or {}), **body}, reply.etag))

    def remove(self) -> None:
        row = self.some()
        if row is None or self.chance.random() < 0.7:
            return
        self.rows.remove(row)
        headers = {"If_Match": row.etag} if row.etag else {}
        is_gone = self.call("DELETE", row.path, None, **headers).status == 204
        if is_gone and self.remembers_deleted:
            self.rows.append(Row(row.path, None))

    def read(self) -> None:
        row = self.some()
        paths = self.lists() if row is None else [*self.lists(), row.path]
        self.call("GET", self.chance.choice(paths))

    def look(self, path: str) -> Reply:
        """A read that has an answer; whoever asked too often asks somebody else to look."""
        for number in range(10):
            try:
                return self.call("GET", path)
            except Unanswered:
                self._headers, self._alias = {}, f"{self.name}-{self._calls}-{number}"
        raise AssertionError(f"{self.mount}{path} does not answer")

    def faults(self) -> list[str]:
        """What was acknowledged and is not as it was said to be."""
        found = []
        for row in self.rows:
            reply = self.look(row.path)
            if row.fields is None:
                if reply.status not in (404, 410):
                    found.append(f"{row.path} was deleted, and is there: {reply.status}")
            elif reply.status != 200:
                found.append(f"lost: {row.path} answers {reply.status}")
            else:
                found += [
                    f"lost: {name} of {row.path} is {reply.body.get(name)!r}, not {value!r}"
                    for name, value in row.fields.items()
                    if reply.body.get(name) != value
                ]
        if self._alias:
            self._headers, self._alias = {}, ""
        return found

    def text(self) -> str:
        words = ["guard", "sweep", "knee", "pass", "mount", "half", "open"]
        return f"{' '.join(self.chance.choices(words, k=4))} {self.chance.randrange(10**6)}"


class Athlete(Visitor):
    mount = "/roll-model"
    groups = ["athlete", "coach"]

    def _entry(self) -> Json:
        metrics = {"durationMinutes": 90, "intensity": 7, "rounds": 6, "giOrNoGi": "gi"}
        return {
            "sections": {"private": self.text(), "shared": self.text()},
            "sessionMetrics": {**metrics, "tags": self.chance.sample(["guard", "sweep", "x"], 2)},
        }

    def create(self) -> None:
        body = self._entry()
        reply = self.call("POST", "/entries", body)
        if reply.status == 201:
            self.keep(reply, f"/entries/{reply.body['entryId']}", {"sections": body["sections"]})

    def changed(self, row: Row) -> tuple[str, Json]:
        return "PUT", self._entry()

    def share(self) -> None:
        """Take or leave a coach, who comments on an entry while there is a link."""
        coach, row = f"{self.name}-coach", self.some()
        headers = self.credentials_of(coach)
        self.send("GET", "/roll-model/me", None, headers)  # Whoever is new gets a profile.
        if self.chance.random() < 0.3:
            self.call("DELETE", f"/links/{coach}")
        elif self.chance.random() < 0.5 or row is None:
            self.call("POST", "/links", {"coachId": coach})
        else:
            self.send("POST", f"/roll-model{row.path}/comments", {"body": self.text()}, headers)

    def lists(self) -> list[str]:
        return ["/entries", "/entries?limit=2&tag=guard", "/search?keywords=guard", "/links"]


class Curator(Visitor):
    mount = "/funkedupshift"
    groups = ["admin"]

    def _site(self) -> Json:
        return {"title": self.text(), "tags": self.chance.sample(["a", "b", "c", "d"], 2)}

    def create(self) -> None:
        body = {"url": f"https://example.org/{self.name}/{self._calls}", **self._site()}
        reply = self.call("POST", "/sites", body)
        if reply.status == 201:
            path = f"/sites/{reply.body['siteId']}"
            self.keep(reply, path, {"title": body["title"]})

    def changed(self, row: Row) -> tuple[str, Json]:
        return "PATCH", {"title": self.text()}

    def share(self) -> None:
        listed = self.call("GET", "/sites?limit=5")
        sites = [site["siteId"] for site in listed.body.get("items", [])]
        if sites:
            path = f"/sites/{self.chance.choice(sites)}/rating"
            if self.chance.random() < 0.3:
                self.call("DELETE", path)
            else:
                self.call("PUT", path, {"stars": self.chance.randint(1, 5)})

    def lists(self) -> list[str]:
        return ["/sites", "/sites?tag=a", "/me/ratings", "/ratings?stars=3"]


class Guest(Visitor):
    mount = "/stayon"
    remembers_deleted = False  # To ask for a code that is not there counts as guessing.
    _poll: Json | None = None
    _event: str | None = None

    def credentials(self) -> Json:
        return {}

    def _page(self) -> str:
        if self._event is None:
            event = {"entity": "event", "name": self.name, "startTime": "2096-06-01T12:00:00Z"}
            reply = self.call("POST", "/pages", {**event, "isRsvpRequired": True})
            if reply.status != 201:
                raise Unanswered
            self._event = f"/pages/{reply.body['shortId']}"
        return self._event

    def create(self) -> None:
        body = {"name": self.text(), "response": "going"}
        page = self._page()
        reply = self.call("POST", f"{page}/rsvps", body)
        if reply.status == 201:
            self.keep(reply, f"{page}/rsvps/{reply.body['code']}", body)

    def changed(self, row: Row) -> tuple[str, Json]:
        response = self.chance.choice(["going", "notGoing", "maybe"])
        return "PUT", {"name": self.text(), "response": response}

    def share(self) -> None:
        if self._poll is None:
            question = {"title": "Day", "isRequired": True}
            options = [{"label": "Sat"}, {"label": "Sun"}]
            body = {"entity": "poll", "name": "When?"}
            reply = self.call(
                "POST", "/pages", {**body, "questions": [{**question, "options": options}]}
            )
            if reply.status != 201:
                raise Unanswered
            self._poll = reply.body
        question = self._poll["questions"][0]
        chosen = self.chance.choice(question["options"])["pollQuestionOptionId"]
        answers = [{"pollQuestionId": question["pollQuestionId"], "optionIds": [chosen]}]
        page = f"/pages/{self._poll['shortId']}"
        self.call("POST", f"{page}/votes", {"name": self.text(), "answers": answers})

    def lists(self) -> list[str]:
        page = self._page()
        return [page, f"{page}/rsvps"]


class Player(Visitor):
    mount = "/3fc/v1"
    _league: str | None = None
    _game: str | None = None

    def _made(self, path: str, body: Json, name: str) -> str:
        reply = self.call("POST", path, body)
        if reply.status not in (200, 201):
            raise Unanswered
        return str(reply.body[name])

    def _own_league(self) -> str:
        if self._league is None:
            self._league = self._made("/leagues", {"name": self.name}, "leagueId")
        return self._league

    def _own_game(self) -> str:
        if self._game is None:
            league = self._own_league()
            season = self._made(f"/leagues/{league}/seasons", {"name": "Spring"}, "seasonId")
            for team in ("red", "blue", "yellow"):
                self.call("POST", f"/seasons/{season}/teams", {"teamId": team, "name": team})
            day = {"sessionDate": "2096-03-01"}
            session = self._made(f"/seasons/{season}/sessions", day, "sessionId")
            at = {"gameStartTs": "2096-03-01T10:00:00Z"}
            self._game = self._made(f"/sessions/{session}/games", at, "gameId")
        return self._game

    def create(self) -> None:
        body = {"nickname": self.text()}
        reply = self.call("POST", f"/leagues/{self._own_league()}/players", body)
        if reply.status == 201:
            self.keep(reply, f"/players/{reply.body['playerId']}", body)

    def changed(self, row: Row) -> tuple[str, Json]:
        return "PATCH", {"nickname": self.text()}

    def share(self) -> None:
        row = self.some()
        if row is not None:
            path = f"/games/{self._own_game()}/roster/{row.path.rpartition('/')[2]}"
            if self.chance.random() < 0.3:
                self.call("DELETE", path)
            else:
                self.call("PUT", path, {"teamId": self.chance.choice(["red", "blue"])})

    def lists(self) -> list[str]:
        return ["/leagues", f"/leagues/{self._own_league()}/players?prefix=g"]


class Relative(Visitor):
    mount = "/hold-that-thought"
    groups = ["ApprovedUsers"]
    picture = "00000000-0000-4000-8000-000000000001"

    def create(self) -> None:
        body = {"commentText": self.text()}
        reply = self.call("POST", f"/comments/{self.picture}", body)
        if reply.status == 201:
            self.keep(reply, f"/comments/{self.picture}/{reply.body['commentId']}", body)

    def changed(self, row: Row) -> tuple[str, Json]:
        return "PUT", {"commentText": self.text()}

    def share(self) -> None:
        listed = self.call("GET", f"/comments/{self.picture}?limit=5")
        comments = [comment["commentId"] for comment in listed.body.get("items", [])]
        if comments:
            path = f"/comments/{self.picture}/{self.chance.choice(comments)}/reactions"
            if self.chance.random() < 0.3:
                self.call("DELETE", path)
            else:
                self.call("POST", path, {"reactionType": "like"})

    def lists(self) -> list[str]:
        return [f"/comments/{self.picture}", "/me", "/me/reactions", "/letters"]


VISITORS: dict[str, type[Visitor]] = {
    "roll-model": Athlete,
    "funkedupshift": Curator,
    "stayon": Guest,
    "3fc": Player,
    "hold-that-thought": Relative,
}


def visitors(send: Callable[[], Send], chance: random.Random, each: int) -> list[Visitor]:
    """So many visitors of each system, each with a connection of its own."""
    return [
        kind(send(), f"{name}-{chance.getrandbits(32):08x}-{n}", random.Random(chance.random()))
        for n in range(each)
        for name, kind in VISITORS.items()
    ]
