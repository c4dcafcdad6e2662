"""Readiness: the store can be written, or the answer says that it cannot."""

from __future__ import annotations

import asyncio
from pathlib import Path

from tablewright.errors import StoreUnavailable
from tablewright.web.server.readiness import Readiness
from tests.web.example import SYSTEM
from tests.web.http.test_problems import told
from tests.web.serving import Server, served


def test_a_server_that_can_write_is_ready(server: Server) -> None:
    reply = server.root.get("/ready")
    assert reply.status_code == 200
    state = reply.json()
    assert state["status"] == "ready"
    assert (state["store"]["writable"], state["store"]["recovered"]) == (True, True)


def test_a_server_whose_file_is_gone_is_not_ready_and_says_so(tmp_path: Path) -> None:
    path = tmp_path / "app.db"
    with served(SYSTEM, store=f"sqlite:///{path}") as server:
        ann = server.as_("ann")
        assert ann.post("/notes", json={"title": "kept"}).status_code == 201
        path.rename(tmp_path / "moved.db")
        reply = ann.post("/notes", json={"title": "lost"})
        assert told(reply) == (503, "unavailable")
        assert told(server.root.get("/ready")) == (503, "unavailable")
        assert server.root.get("/ready").json()["store"]["writable"] is False
        assert str(tmp_path) not in server.root.get("/ready").text
        assert server.root.get("/health").status_code == 200
        (tmp_path / "moved.db").rename(path)


def test_a_store_elsewhere_is_asked_once_a_second_at_most() -> None:
    class Store:
        calls = 0

        async def call(self, operation: str, request: object) -> None:
            self.calls += 1
            raise StoreUnavailable("nobody there")

    async def ask(store: Store) -> list[object]:
        readiness = Readiness(store)  # type: ignore[arg-type]
        asked = (readiness.require() for _ in range(50))
        return await asyncio.gather(*asked, return_exceptions=True)

    store = Store()
    answers = asyncio.run(ask(store))
    assert {getattr(problem, "status", None) for problem in answers} == {503}
    assert store.calls == 1
