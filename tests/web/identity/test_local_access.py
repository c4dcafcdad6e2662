"""What only this machine may use is refused to proxies, foreign names and foreign pages."""

from __future__ import annotations

import pytest

from tests.web.example import SYSTEM
from tests.web.http.test_problems import told
from tests.web.serving import served

HERE = "127.0.0.1:8080"


@pytest.mark.parametrize(
    "headers",
    [
        {"X-Forwarded-For": "203.0.113.9"},
        {"X-Forwarded-Proto": "https"},
        {"X-Forwarded-Host": "127.0.0.1"},
        {"Forwarded": "for=203.0.113.9"},
        {"Via": "1.1 proxy"},
        {"X-Real-IP": "203.0.113.9"},
        {"X_Forwarded_For": "203.0.113.9"},
        {"CDN-Loop": "x"},
        {"Host": "evil@127.0.0.1"},
        {"Host": "localhost/evil"},
        {"Host": "[::1]evil"},
        {"Host": "localhost:80:80"},
        {"Host": "app.example"},
        {"Host": "127.0.0.1.app.example"},
        {"Origin": "https://evil.example"},
        {"Origin": "null"},
        {"Origin": "http://127.0.0.1:1"},
        {"Sec-Fetch-Site": "cross-site"},
    ],
    ids=lambda headers: " ".join(*headers.items()),
)
def test_dev_mode_serves_nobody_elsewhere(headers: dict[str, str]) -> None:
    with served(SYSTEM) as server:
        for method, path in (
            ("POST", "/dev/token"),
            ("POST", "/dev/clock"),
            ("GET", "/dev/clock"),
            ("GET", "/dev/outbox?to=a@b.c"),
            ("POST", "/dev/ai"),
        ):
            reply = server.root.request(method, path, headers={"Host": HERE, **headers})
            assert told(reply) == (403, "forbidden"), (method, path)
        assert "Dev mode is for this machine alone" in reply.json()["detail"]


@pytest.mark.parametrize(
    "headers",
    [
        {},
        {"Host": "localhost:8080"},
        {"Host": "[::1]:8080"},
        {"Origin": "http://127.0.0.1:8080"},
        {"Origin": "http://localhost:8080", "Sec-Fetch-Site": "same-origin"},
        {"Origin": "http://localhost:5173"},
    ],
    ids=str,
)
def test_dev_mode_serves_this_machine_and_origins_that_are_allowed(headers: dict[str, str]) -> None:
    with served(SYSTEM, allow_origins=("http://localhost:5173",)) as server:
        reply = server.root.get("/dev/clock", headers={"Host": HERE, **headers})
        assert reply.status_code == 200


def test_behind_a_public_url_there_is_no_dev_mode() -> None:
    with served(SYSTEM, public_url="https://app.example") as server:
        assert server.root.post("/dev/token", json={"sub": "ann"}).status_code == 404
        assert server.root.get("/dev/outbox?to=a@b.c").status_code == 404
        # A token of dev mode that was made elsewhere with the same secret is refused, too.
        assert server.as_("ann").get("/notes").status_code == 401
