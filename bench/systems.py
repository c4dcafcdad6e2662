"""``./dev bench systems``: the systems' endpoints beside bare FastAPI endpoints, in one run.

One read and one durable write of each system, under 32 connections. The bare ones have the same
models and check a token, but store nothing: they are what FastAPI itself costs. All servers are
up, and take turns, so that a slow moment of the machine is shared. ``--beside`` takes another
checkout of this project into the race, to compare two versions.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import platform
import statistics
import sys
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

import bare
import load
import peers
from load import Measured, Shot

CONNECTIONS = 32
TURNS = 3
PEOPLE = 2000
PICTURE = "00000000-0000-4000-8000-000000{n}"
TARGETS = {"read": 0.60, "write": 0.30}


@dataclass(frozen=True)
class Race:
    """An endpoint, and the models of what it takes and gives."""

    system: str
    kind: str
    shot: Shot
    answer: str
    body: str = ""


class Stage:
    """A running server, and who asks it."""

    def __init__(self, url: str) -> None:
        self.url = url

    def token(self, sub: str, **claims: Any) -> str:
        """A token of dev mode."""
        asked = Shot("POST", "/dev/token", json.dumps({"sub": sub, **claims}), JSON)
        return str(load.send(self.url, asked)["accessToken"])

    def headers(self, sub: str, **claims: Any) -> dict[str, str]:
        """The headers of somebody with a token."""
        return JSON | {"Authorization": f"Bearer {self.token(sub, **claims)}"}

    def get(self, path: str, headers: dict[str, str]) -> Any:
        return load.send(self.url, Shot("GET", path, "", headers))

    def post(self, path: str, body: dict[str, Any], headers: dict[str, str]) -> Any:
        return load.send(self.url, Shot("POST", path, json.dumps(body), headers))


JSON = {"Content-Type": "application/json"}


def roll_model(stage: Stage) -> list[Race]:
    """An athlete reads an entry, and logs others."""
    ann = stage.headers("ann", name="Ann", groups=["athlete"])
    body = {
        "sections": {"private": "My knee hurts.", "shared": "Drilled the scissor sweep, 6 of 10."},
        "sessionMetrics": {
            "durationMinutes": 90,
            "intensity": 7,
            "rounds": 6,
            "giOrNoGi": "gi",
            "tags": ["guard", "sweep"],
        },
    }
    entry = stage.post("/roll-model/entries", body, ann)["entryId"]
    schemas = "tablewright.systems.roll_model.schemas:"
    return [
        Race(
            "roll-model",
            "read",
            Shot("GET", f"/roll-model/entries/{entry}", "", ann),
            schemas + "EntryAnswer",
        ),
        Race(
            "roll-model",
            "write",
            Shot("POST", "/roll-model/entries", json.dumps(body), ann),
            schemas + "EntryAnswer",
            schemas + "EntryBody",
        ),
    ]


def stayon(stage: Stage) -> list[Race]:
    """Guests look at a poll, and vote."""
    poll = stage.post(
        "/stayon/pages",
        {
            "entity": "poll",
            "name": "When?",
            "questions": [
                {
                    "title": "Day",
                    "isRequired": True,
                    "options": [{"label": "Sat"}, {"label": "Sun"}],
                }
            ],
        },
        JSON,
    )
    question = poll["questions"][0]
    chosen = question["options"][0]["pollQuestionOptionId"]
    vote = {
        "name": "Ann",
        "answers": [{"pollQuestionId": question["pollQuestionId"], "optionIds": [chosen]}],
    }
    page = f"/stayon/pages/{poll['shortId']}"
    schemas = "tablewright.systems.stayon.schemas:"
    return [
        Race("stayon", "read", Shot("GET", page, "", JSON), schemas + "PageAnswer"),
        Race(
            "stayon",
            "write",
            Shot("POST", f"{page}/votes", json.dumps(vote), JSON),
            schemas + "VoteAnswer",
            schemas + "VoteBody",
        ),
    ]


def funkedupshift(stage: Stage) -> list[Race]:
    """Guests look at a site, and somebody comments on it."""
    mia = stage.headers("mia", name="Mia", groups=["admin"])
    site = stage.post(
        "/funkedupshift/sites",
        {"url": "https://example.org/", "title": "B-trees", "tags": ["databases", "trees"]},
        mia,
    )["siteId"]
    path = f"/funkedupshift/sites/{site}"
    comment = json.dumps({"body": "Comment {n}: the part about splitting is clear at last."})
    schemas = "tablewright.systems.funkedupshift.schemas:"
    return [
        Race("funkedupshift", "read", Shot("GET", path, "", mia), schemas + "SingleSiteAnswer"),
        Race(
            "funkedupshift",
            "write",
            Shot("POST", f"{path}/comments", comment, mia),
            schemas + "CommentAnswer",
            schemas + "CommentBody",
        ),
    ]


def threefc(stage: Stage) -> list[Race]:
    """A league's admin looks at it, and adds players."""
    ann = stage.headers("ann", email="ann@example.org")
    league = stage.post("/3fc/v1/leagues", {"name": "Sunday Three"}, ann)["leagueId"]
    path = f"/3fc/v1/leagues/{league}"
    return [
        Race(
            "3fc",
            "read",
            Shot("GET", path, "", ann),
            "tablewright.systems.threefc.schemas:LeagueAnswer",
        ),
        Race(
            "3fc",
            "write",
            Shot("POST", f"{path}/players", json.dumps({"nickname": "Player {n}"}), ann),
            "tablewright.systems.threefc.schemas:PlayerAnswer",
            "tablewright.systems.threefc.schemas:PlayerBody",
        ),
    ]


def hold_that_thought(stage: Stage) -> list[Race]:
    """The family reads a letter, and comments on pictures: each of many people, a few times."""
    rosa = stage.headers("rosa", name="Rosa", email="rosa@example.org", groups=["Admins"])
    letter = {"date": "1916-08-30", "title": "The long winter", "content": "Dear Rosa, " * 20}
    stage.post("/hold-that-thought/letters", letter, rosa)
    people = tuple(stage.token(f"person{number}") for number in range(PEOPLE))
    for token in people:  # Whoever is new gets a profile first, which is not what is measured.
        stage.get("/hold-that-thought/me", JSON | {"Authorization": f"Bearer {token}"})
    comment = json.dumps({"commentText": "Comment {n}: I remember this."})
    return [
        Race(
            "hold-that-thought",
            "read",
            Shot("GET", "/hold-that-thought/letters/1916-08-30", "", rosa),
            "tablewright.systems.hold_that_thought.schemas:LetterAnswer",
        ),
        Race(
            "hold-that-thought",
            "write",
            Shot("POST", f"/hold-that-thought/comments/{PICTURE}", comment, JSON, people),
            "tablewright.systems.hold_that_thought.schemas:CommentAnswer",
            "tablewright.systems.hold_that_thought.bodies:CommentBody",
        ),
    ]


STAGES: dict[str, Callable[[Stage], list[Race]]] = {
    "roll-model": roll_model,
    "stayon": stayon,
    "funkedupshift": funkedupshift,
    "3fc": threefc,
    "hold-that-thought": hold_that_thought,
}


def main() -> None:
    parser = argparse.ArgumentParser(prog="./dev bench systems", description=__doc__)
    parser.add_argument("--seconds", type=float, default=3.0, help="per measurement (3)")
    parser.add_argument("--only", choices=STAGES, help="one system")
    parser.add_argument("--beside", type=Path, help="another checkout to race, after its setup")
    parser.add_argument("--json", type=Path, help="write the figures into this file as well")
    options = parser.parse_args()
    console = Console(highlight=False, width=None if sys.stdout.isatty() else 120)
    console.print(f"Python {platform.python_version()}, {CONNECTIONS} connections")
    with (
        tempfile.TemporaryDirectory(dir=peers.CACHE) as folder,
        peers.running(server(folder)) as url,
        contextlib.ExitStack() as others,
    ):
        chosen = [options.only] if options.only else list(STAGES)
        races = races_on(url, chosen)
        other = None
        if options.beside is not None:
            python = options.beside.resolve() / ".venv" / "bin" / "python"
            other_url = others.enter_context(peers.running(server(f"{folder}/other", str(python))))
            other = (other_url, races_on(other_url, chosen))
        routes = Path(folder) / "routes.json"
        routes.write_text(json.dumps(bare_routes(url, races)), "utf-8")
        with peers.running(bare_server(routes)) as floor:
            figures = [
                measured(race, n, url, floor, options.seconds, other)
                for n, race in enumerate(races)
            ]
    show(console, figures)
    if options.json:
        options.json.write_text(json.dumps(figures, indent=1), "utf-8")


def races_on(url: str, names: list[str]) -> list[Race]:
    stage = Stage(url)
    return [race for name in names for race in STAGES[name](stage)]


def server(folder: str, python: str = sys.executable) -> peers.Peer:
    """All systems, with every write on disk before it is answered."""
    Path(folder).mkdir(exist_ok=True)
    program = "from tablewright.cli import main; main()"
    options = ["serve", "--port", "{port}", "--store", f"sqlite:///{folder}/bench.db"]
    files = ["--blobs", f"file:{folder}/blobs", "--secret-file", f"{folder}/secret"]
    return peers.Peer("tablewright", [python, "-c", program, *options, *files])


def bare_server(routes: Path) -> peers.Peer:
    program = str(Path(bare.__file__))
    return peers.Peer("bare FastAPI", [sys.executable, program, "{port}", str(routes)])


def bare_routes(url: str, races: list[Race]) -> list[dict[str, Any]]:
    """A bare endpoint for each race, which answers what the real one does."""
    return [
        {
            "method": race.shot.method,
            "path": f"/{number}",
            "answer": race.answer,
            "body": race.body,
            "sample": load.send(url, filled(race.shot)),
        }
        for number, race in enumerate(races)
    ]


def filled(shot: Shot) -> Shot:
    """A request of its own, apart from those that are measured."""
    path, body = (load.filled(text, 999_999, 999_999) for text in (shot.path, shot.body))
    headers = dict(shot.headers)
    if shot.tokens:
        headers["Authorization"] = f"Bearer {shot.tokens[0]}"
    return Shot(shot.method, path, body, headers)


def measured(
    race: Race,
    number: int,
    url: str,
    floor: str,
    seconds: float,
    other: tuple[str, list[Race]] | None,
) -> dict[str, Any]:
    """The medians of some turns of each, after one that warms up."""
    headers = race.shot.headers | {"Authorization": f"Bearer {bare.token()}"}
    plain = Shot(race.shot.method, f"/{number}", race.shot.body, headers)
    ours: list[Measured] = []
    bares: list[Measured] = []
    besides: list[Measured] = []
    contestants = [(bares, floor, plain), (ours, url, race.shot)]
    if other is not None:
        contestants.append((besides, other[0], other[1][number].shot))
    for turn in range(TURNS + 1):
        for results, at, shot in contestants:
            spent = seconds if turn else 1.0
            result = load.measure(at, shot, connections=CONNECTIONS, seconds=spent, count=900_000)
            if turn:
                results.append(result)
    versus = [
        mine.per_second / theirs.per_second for mine, theirs in zip(ours, besides, strict=False)
    ]
    return {
        "beside": statistics.median(versus) if versus else None,
        "system": race.system,
        "kind": race.kind,
        "per_second": statistics.median(one.per_second for one in ours),
        "p99_ms": statistics.median(one.p99_ms for one in ours),
        "bare_per_second": statistics.median(one.per_second for one in bares),
        "bare_p99_ms": statistics.median(one.p99_ms for one in bares),
        "share": statistics.median(
            one.per_second / other.per_second for one, other in zip(ours, bares, strict=True)
        ),
    }


def show(console: Console, figures: list[dict[str, Any]]) -> None:
    shown = Table("endpoint", title_justify="left")
    is_beside = any(one["beside"] is not None for one in figures)
    names = ["requests/s", "p99 ms", "bare requests/s", "bare p99 ms", "share", "target"]
    for name in [*names, "to the other"] if is_beside else names:
        shown.add_column(name, justify="right")
    for one in figures:
        shown.add_row(
            f"{one['system']} {one['kind']}",
            f"{one['per_second']:,.0f}",
            f"{one['p99_ms']:,.1f}",
            f"{one['bare_per_second']:,.0f}",
            f"{one['bare_p99_ms']:,.1f}",
            f"{one['share']:.0%}",
            f"≥ {TARGETS[one['kind']]:.0%}",
            *([f"{one['beside']:.2f}×"] if is_beside else []),
        )
    console.print(shown)
    console.print("Every write is on disk before it is answered; the bare endpoints store nothing.")


if __name__ == "__main__":
    main()
