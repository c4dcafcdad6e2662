"""Metrics: counted by route template, served only where asked for."""

from __future__ import annotations

import sys

import pytest

from tablewright.web.server.metrics import Metrics
from tablewright.web.server.server_settings import SettingsInvalid
from tests.web.example import SYSTEM
from tests.web.serving import Server, served


def test_requests_are_counted_by_route_and_status() -> None:
    with served(SYSTEM, metrics=True) as server:
        ann = server.as_("ann")
        note = ann.post("/notes", json={"title": "a"}).json()
        ann.get(f"/notes/{note['noteId']}")
        ann.get("/unknown/secret-code")
        reply = server.root.get("/metrics")
        assert reply.headers["content-type"].startswith("text/plain")
        text = reply.text
    assert (
        'tablewright_request_seconds_count{method="GET",route="/example/notes/{note_id}"'
        ',status="200"} 1.0' in text
    )
    assert 'route="/example/(unknown)",status="404"' in text
    assert note["noteId"] not in text
    assert "secret-code" not in text
    assert "tablewright_store_writable 1.0" in text
    assert "process_open_fds" in text


def test_nobody_gets_metrics_that_were_not_asked_for(server: Server) -> None:
    assert server.root.get("/metrics").status_code == 404


def test_without_the_library_it_is_said_how_to_install_it(
    monkeypatch: pytest.MonkeyPatch, server: Server
) -> None:
    monkeypatch.setitem(sys.modules, "prometheus_client", None)
    with pytest.raises(SettingsInvalid, match=r"tablewright\[metrics\]"):
        Metrics(server.services.store)
