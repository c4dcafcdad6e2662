"""Studios for tests: mounted in a server as `tablewright serve` mounts them, with data in them.

`Visitor` is a browser without a screen: it keeps the cookie that a token gave it.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import httpx2

from tablewright.studio.items.sample_items import fill_with_samples
from tablewright.studio.shell.gate import Sessions
from tablewright.studio.shell.loaded_design import LoadedDesign
from tablewright.studio.shell.mount import studio_system, system_designs
from tablewright.web.services.services import Services
from tests.web.serving import Server, served

__all__ = ["Visitor", "opened", "roll_model"]


class Visitor:
    """Somebody who opened the studio by its link."""

    def __init__(self, server: Server, sessions: Sessions) -> None:
        self.server = server
        self.sessions = sessions
        first = self.stranger(f"/?token={sessions.new_token()}")
        self.headers = {"cookie": first.headers["set-cookie"].partition(";")[0]}

    def stranger(self, path: str, **options: Any) -> httpx2.Response:
        """What somebody without the cookie gets."""
        answer = self.server.request("GET", f"/studio{path}", options)
        self.server._client.cookies.clear()
        return answer

    def get(self, path: str, **headers: str) -> httpx2.Response:
        return self.server.request("GET", f"/studio{path}", {"headers": self.headers | headers})

    def post(self, path: str, fields: dict[str, str], **headers: str) -> httpx2.Response:
        options = {"data": fields, "headers": self.headers | headers}
        return self.server.request("POST", f"/studio{path}", options)

    def json(self, path: str) -> Any:
        """The view of a page."""
        answer = self.get(path)
        assert answer.status_code == 200, answer.text
        return answer.json()["view"]


def roll_model() -> LoadedDesign:
    return system_designs(["roll-model"])[0]


@contextmanager
def opened(*designs: LoadedDesign, **options: Any) -> Iterator[Visitor]:
    """A studio of these designs, with samples of each in a database in memory."""
    sessions = Sessions()

    async def fill(services: Services) -> None:
        for design in designs:
            await services.store.ensure_tables(design.tables)
            await fill_with_samples(services.store, design)

    with served(studio_system(lambda: designs, sessions), fill=fill, **options) as server:
        yield Visitor(server, sessions)
