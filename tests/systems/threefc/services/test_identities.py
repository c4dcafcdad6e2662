"""Tokens of an issuer in 3FC: whose an address is."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from tablewright.systems.threefc.app import SYSTEM
from tablewright.systems.threefc.design import P
from tablewright.systems.threefc.services import sign_in as signing_in
from tablewright.web.services.rate_limits import Rate
from tests.web.identity.test_auth import AUDIENCE, provider, signed
from tests.web.serving import Server, served

EMAIL = "ann@example.org"


@pytest.fixture
def production() -> Iterator[Server]:
    with provider() as issuer:
        options = {"oidc_issuer": issuer.url, "oidc_audience": AUDIENCE}
        with served(SYSTEM, **options) as opened:
            yield opened


def status(server: Server, sub: str, **claims: Any) -> int:
    token = signed(server, sub=sub, **({"email": EMAIL, "email_verified": True} | claims))
    reply = server.guest(authorization=token).get("/v1/leagues")
    return reply.status_code


@pytest.mark.parametrize("verified", [None, False, "true", 1, "yes", [True]])
def test_an_address_that_the_issuer_did_not_verify_is_nobodys(
    production: Server, verified: object
) -> None:
    assert status(production, "ann", email_verified=verified) == 401
    assert production.run(P.get_identity(EMAIL)) is None


def test_an_address_stays_with_the_account_that_showed_it_first(production: Server) -> None:
    assert status(production, "ann") == 200
    assert status(production, "eve") == 401
    assert status(production, "eve", email=EMAIL.upper()) == 401
    assert status(production, "ann") == 200
    assert status(production, "eve", email="eve@example.org") == 200


def test_a_binding_is_in_the_table_not_in_one_server(production: Server) -> None:
    assert status(production, "ann") == 200
    bound = production.run(P.get_identity(EMAIL))
    assert bound is not None
    assert (bound.issuer, bound.subject) == (production.services.settings.oidc_issuer, "ann")
    other = Server(production.services, production.systems, production.loop)
    try:
        assert status(other, "eve") == 401
        assert status(other, "ann") == 200
    finally:
        production.loop.run(other.close())


def test_of_two_accounts_at_once_one_gets_the_address(production: Server) -> None:
    tokens = [
        signed(production, sub=sub, email=EMAIL, email_verified=True) for sub in ("ann", "eve") * 5
    ]
    replies = production.together(
        production.guest(authorization=token).ask("GET", "/v1/leagues") for token in tokens
    )
    assert sorted(reply.status_code for reply in replies) == [200] * 5 + [401] * 5


def test_in_dev_mode_a_token_is_whoever_it_says() -> None:
    with served(SYSTEM) as server:
        for sub in ("ann", "eve"):
            assert server.as_(sub, email=EMAIL).get("/v1/leagues").status_code == 200


def test_a_link_by_mail_signs_in_whoever_has_the_mailbox(production: Server) -> None:
    assert status(production, "ann") == 200
    guest = production.guest()
    assert guest.post("/v1/auth/magic/start", json={"email": EMAIL}).status_code == 202
    text = production.services.outbox.posted(EMAIL)[0].text
    done = guest.post("/v1/auth/magic/complete", json={"token": text.splitlines()[-1]})
    assert done.status_code == 200
    assert guest.get("/v1/leagues").status_code == 200
    assert status(production, "ann") == 200


def test_a_form_cannot_post_by_the_cookie() -> None:
    with served(SYSTEM) as server:
        guest = server.guest()
        guest.post("/v1/auth/magic/start", json={"email": EMAIL})
        text = server.services.outbox.posted(EMAIL)[0].text
        guest.post("/v1/auth/magic/complete", json={"token": text.splitlines()[-1]})
        form = {"Content-Type": "text/plain"}
        refused = guest.post("/v1/leagues", content=b'{"name":"Sunday"}', headers=form)
        assert refused.status_code == 400
        assert refused.json()["errors"][0]["field"] == "Content-Type"
        assert guest.post("/v1/leagues", json={"name": "Sunday"}).status_code == 201


def test_one_client_asks_for_so_many_links_whatever_the_addresses(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    assert signing_in.CLIENT_RATE == (2_000, 3600)
    monkeypatch.setattr(signing_in, "CLIENT_RATE", Rate(20, 3600))
    with served(SYSTEM) as server:
        told = [
            server.guest()
            .post("/v1/auth/magic/start", json={"email": f"a{number}@example.org"})
            .status_code
            for number in range(22)
        ]
        assert told == [202] * 20 + [429] * 2


def test_an_address_that_only_looks_alike_is_another_address(production: Server) -> None:
    assert (
        status(production, "mallory", email="\u212aim@example.org") == 200
    )  # The sign for Kelvin.
    assert status(production, "kim", email="Kim@example.org") == 200
