"""Attacks on whom a caller is taken for: cookies, repeated creations, others' mail."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

import jwt

from tests.web.identity.test_auth import AUDIENCE, RSA, provider

from .servers import ServerProcess, serve

PAGE = {
    "entity": "checklist",
    "name": "Shopping",
    "items": [{"name": "Milk"}],
    "adminPasscode": "admin-1234",
}
CHANGE = b'{"name":"Stolen","items":[{"name":"Tea"}]}'


def made(server: ServerProcess, **headers: str) -> dict[str, Any]:
    reply = server.request("POST", "/stayon/pages", json=PAGE, headers=headers)
    assert reply.status_code == 201
    page: dict[str, Any] = reply.json()
    return page


def test_a_page_elsewhere_cannot_use_the_cookie_of_who_looks_at_it(tmp_path: Path) -> None:
    with serve(tmp_path) as server:
        page = made(server)
        path = f"/stayon/pages/{page['shortId']}"
        cookie = f"admin_{page['shortId'].replace('-', '')}={page['accessToken']}"
        form = {"Cookie": cookie, "Content-Type": "text/plain"}
        evil = {"Origin": "https://evil.example"}
        for headers in (form, form | evil, {**form, **evil, "Content-Type": "application/json"}):
            reply = server.request("PUT", path, content=CHANGE, headers=headers)
            assert reply.status_code in (400, 403)
        assert server.request("DELETE", path, headers=form | evil).status_code == 403
        shown = server.request("GET", path)
        assert shown.json()["name"] == "Shopping"


def test_a_repeated_creation_does_not_open_what_was_locked_since(tmp_path: Path) -> None:
    key = {"Idempotency-Key": "0123456789abcdef"}
    with serve(tmp_path) as server:
        page = made(server, **key)
        path = f"/stayon/pages/{page['shortId']}"
        owner = {"Authorization": f"Bearer {page['accessToken']}"}
        passcodes = {"adminPasscode": "other-1234"}
        changed = server.request("PUT", f"{path}/passcodes", json=passcodes, headers=owner)
        assert changed.status_code == 200
        stolen = {"Authorization": f"Bearer {made(server, **key)['accessToken']}"}
        reply = server.request("PUT", path, content=CHANGE, headers=stolen)
        assert reply.status_code == 401


def test_an_account_with_somebodys_address_is_not_that_person(tmp_path: Path) -> None:
    with provider() as issuer:
        options = ["--oidc-issuer", issuer.url, "--oidc-audience", AUDIENCE]

        def status(sub: str, **claims: Any) -> int:
            told = {
                "iss": issuer.url,
                "aud": AUDIENCE,
                "sub": sub,
                "exp": int(time.time()) + 600,
                "email": "ann@example.org",
                **claims,
            }
            token = jwt.encode(told, RSA, algorithm="RS256", headers={"kid": "r1"})
            headers = {"Authorization": f"Bearer {token}"}
            return server.request("GET", "/3fc/v1/leagues", headers=headers).status_code

        with serve(tmp_path, *options) as server:
            assert status("eve") == 401
            assert status("eve", email_verified=False) == 401
            assert status("ann", email_verified=True) == 200
            assert status("eve", email_verified=True) == 401
        with serve(tmp_path, *options) as server:
            assert status("eve", email_verified=True) == 401
            assert status("ann", email_verified=True) == 200
