"""Signing in over HTTP, tokens and cookies, health."""

from __future__ import annotations

import hashlib

import pytest

from tablewright.web.services.clock import Clock

from .club import Club, opened, refused


def test_health_needs_nobody(club: Club) -> None:
    guest = club.server.guest()
    for path in ("/health", "/v1/health"):
        reply = guest.get(path)
        assert (reply.status_code, reply.json()) == (200, {"status": "ok"})


def test_mails_a_link_whose_last_line_is_the_token(club: Club) -> None:
    asked = club.server.guest().post("/v1/auth/magic/start", json={"email": "Ann@X.org"})
    assert (asked.status_code, asked.json()) == (202, {"status": "sent"})
    [mail] = club.server.root.get("/dev/outbox", params={"to": "ann@x.org"}).json()["items"]
    assert mail["subject"] == "Your 3FC sign-in link"
    token = mail["text"].split("\n")[-1]
    assert f"http://127.0.0.1:8080/3fc/sign-in?token={token}" in mail["text"].split("\n")
    token_id, _, secret = token.partition(".")
    [row] = [row for row in club.rows() if row["pk"]["S"] == f"AUTH_MAGIC#{token_id}"]
    assert secret not in str(club.rows())
    assert row["tokenHash"]["S"] == hashlib.sha256(secret.encode()).hexdigest()
    assert row["email"]["S"] == "ann@x.org"
    assert len(bytes.fromhex(token_id)) == 16
    assert len(secret) >= 43


@pytest.mark.parametrize("email", ["", "ann", "ann@x", "a b@x.org", "a#b@x.org", 7, None])
def test_refuses_what_is_no_address_and_counts_nothing(club: Club, email: object) -> None:
    reply = club.server.guest().post("/v1/auth/magic/start", json={"email": email})
    refused(reply, 400, "invalid_request", "email")
    assert club.rows() == []


def test_counts_each_address_by_itself(club: Club) -> None:
    for _ in range(5):
        club.token("ann@x.org")
    guest = club.server.guest()
    refused(guest.post("/v1/auth/magic/start", json={"email": "ann@x.org"}), 429)
    assert len(club.server.root.get("/dev/outbox", params={"to": "ann@x.org"}).json()["items"]) == 5
    club.token("ben@x.org")
    # A refused request does not make the window any longer.
    club.server.advance(3600)
    club.token("ann@x.org")


def test_gives_a_cookie_that_scripts_cannot_read(club: Club) -> None:
    reply = club.complete(club.token("ann@x.org"))
    assert reply.status_code == 200
    assert set(reply.json()) == {"userId", "email", "expiresAt"}
    value, *rest = reply.headers["set-cookie"].split("; ")
    assert set(rest) == {"HttpOnly", "SameSite=Lax", "Path=/3fc", "Max-Age=86400"}
    name, _, secret = value.partition("=")
    assert name == "threefc_session"
    kept = hashlib.sha256(secret.encode()).hexdigest()
    [row] = [row for row in club.rows() if row["pk"]["S"].startswith("AUTH_SESSION#")]
    assert row["pk"]["S"] == f"AUTH_SESSION#{kept}"
    assert secret not in str(club.rows())


def test_makes_the_cookie_secure_on_https() -> None:
    with opened(public_url="https://localhost") as club:
        reply = club.complete(club.token("ann@x.org"))
        assert "Secure" in reply.headers["set-cookie"].split("; ")
        [mail] = club.server.root.get("/dev/outbox", params={"to": "ann@x.org"}).json()["items"]
        assert "https://localhost/3fc/sign-in?token=" in mail["text"]


def test_tells_used_expired_unknown_and_tampered_tokens_alike(club: Club) -> None:
    used = club.token("ann@x.org")
    assert club.complete(used).status_code == 200
    good = club.token("ann@x.org")
    token_id, _, secret = good.partition(".")
    other_id, _, other_secret = club.token("ann@x.org").partition(".")
    tokens = (
        used,
        f"{token_id}.{other_secret}",
        f"{other_id}.{secret}",
        f"{'0' * 32}.{secret}",
        f"{token_id.upper()}.{secret}",
        token_id,
        "x",
        "#.#",
    )
    told = {tuple(refused(club.complete(token), 401, "unauthorized").items()) for token in tokens}
    assert len(told) == 1
    # None of that has used it up.
    assert club.complete(f" {good} ").status_code == 200


def test_takes_a_token_once_however_many_ask_at_the_same_time(club: Club) -> None:
    token, guest = club.token("ann@x.org"), club.server.guest()
    replies = club.server.together(
        guest.ask("POST", "/v1/auth/magic/complete", json={"token": token}) for _ in range(8)
    )
    assert sorted(reply.status_code for reply in replies) == [200, *[401] * 7]


@pytest.mark.parametrize("body", [{}, {"token": ""}, {"token": "x" * 201}, {"token": 1}, []])
def test_refuses_what_is_no_token(club: Club, body: object) -> None:
    reply = club.server.guest().post("/v1/auth/magic/complete", json=body)
    refused(reply, 400, "invalid_request")


def test_tells_who_is_signed_in_and_until_when(club: Club) -> None:
    ann = club.signed_in("ann@x.org")
    told = ann.get("/v1/auth/session").json()
    assert (told["userId"], told["email"]) == ("ann@x.org", "ann@x.org")
    now = club.server.root.get("/dev/clock").json()["now"]
    assert now < told["expiresAt"]
    club.server.advance(86_390)
    assert ann.get("/v1/auth/session").status_code == 200
    club.server.advance(10)
    refused(ann.get("/v1/auth/session"), 401, "unauthorized")


def test_takes_a_token_by_its_address(club: Club) -> None:
    bearer = club.server.as_("somebody", email="Ann@X.org")
    told = bearer.get("/v1/auth/session").json()
    assert told["userId"] == "ann@x.org"
    assert told["expiresAt"].endswith(".000Z")


def test_a_token_without_an_address_is_nobodys(club: Club) -> None:
    for caller in (club.server.as_("ann"), club.server.as_("ann", email="no address")):
        reply = caller.get("/v1/auth/session")
        refused(reply, 401, "unauthorized")
        assert reply.headers["www-authenticate"] == "Bearer"


def test_a_bearer_token_wins_over_the_cookie(club: Club) -> None:
    cookie = club.signed_in("ann@x.org").headers["cookie"]
    both = club.ben.get("/v1/auth/session", headers={"Cookie": cookie})
    assert both.json()["userId"] == "ben@x.org"
    bad = club.server.guest(cookie=cookie, authorization="Bearer bad")
    refused(bad.get("/v1/auth/session"), 401)
    refused(club.server.guest(cookie=cookie, authorization="Basic eA==").get("/v1/leagues"), 401)


def test_everything_else_needs_somebody(club: Club) -> None:
    for caller in (club.server.guest(), club.server.guest(cookie="threefc_session=guess")):
        refused(caller.get("/v1/auth/session"), 401, "unauthorized")
        refused(caller.post("/v1/auth/logout"), 401, "unauthorized")
        refused(caller.get("/v1/leagues"), 401, "unauthorized")
        refused(caller.post("/v1/leagues", json={}), 401, "unauthorized")


@pytest.mark.parametrize("fraction", [0.0, 0.001, 0.5, 0.999])
def test_links_last_900_seconds_and_sessions_86400(fraction: float) -> None:
    with opened(clock=Clock(lambda: 1_800_000_000 + fraction)) as club:
        first, second = club.token("ann@x.org"), club.token("ann@x.org")
        club.server.advance(899)
        ann = club.complete(first)
        assert ann.status_code == 200
        cookie = ann.headers["set-cookie"].partition(";")[0]
        club.server.advance(1)
        refused(club.complete(second), 401, "unauthorized")
        club.server.advance(86_398)
        told = club.server.guest(cookie=cookie).get("/v1/auth/session")
        assert (told.status_code, told.json()) == (200, ann.json())
        now = club.server.advance(1)
        assert now == told.json()["expiresAt"]
        refused(club.server.guest(cookie=cookie).get("/v1/auth/session"), 401, "unauthorized")


def test_a_bad_token_is_401_also_where_anybody_is_served(club: Club) -> None:
    """A good one is taken no notice of there, nor is a cookie of a session that is over."""
    token, start = club.token("ann@x.org"), {"email": "ann@x.org"}
    for header in ("Bearer bad", "Basic eA==", "Bearer"):
        bad = club.server.guest(authorization=header)
        refused(bad.post("/v1/auth/magic/start", json=start), 401, "unauthorized")
        refused(bad.post("/v1/auth/magic/start", json={}), 401, "unauthorized")
        refused(bad.post("/v1/auth/magic/complete", json={"token": token}), 401, "unauthorized")
        assert bad.get("/v1/health").status_code == 200
    assert club.server.as_("x").post("/v1/auth/magic/start", json=start).status_code == 202
    old = club.server.guest(cookie="threefc_session=over")
    assert old.post("/v1/auth/magic/start", json=start).status_code == 202
    assert club.complete(token, cookie="threefc_session=over").status_code == 200


def test_ends_the_session_and_clears_the_cookie(club: Club) -> None:
    ann, other = club.signed_in("ann@x.org"), club.signed_in("ann@x.org")
    reply = ann.post("/v1/auth/logout")
    assert (reply.status_code, reply.content) == (204, b"")
    assert reply.headers["set-cookie"].startswith("threefc_session=")
    assert "Max-Age=0" in reply.headers["set-cookie"]
    assert "Path=/3fc" in reply.headers["set-cookie"]
    refused(ann.get("/v1/auth/session"), 401)
    refused(ann.post("/v1/auth/logout"), 401)
    assert other.get("/v1/auth/session").status_code == 200
    assert club.ben.post("/v1/auth/logout").status_code == 204


def test_pages_of_other_origins_cannot_sign_anybody_in(club: Club) -> None:
    token = club.token("ann@x.org")
    refused(club.complete(token, origin="https://evil.example"), 403, "forbidden_origin")
    reply = club.server.guest(origin="null").post("/v1/auth/magic/start", json={"email": "x"})
    refused(reply, 403, "forbidden_origin")
    assert club.complete(token, origin="http://127.0.0.1:8080").status_code == 200
