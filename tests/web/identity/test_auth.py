"""Who calls: tokens of dev mode and of an OpenID provider, and everything that is no token."""

from __future__ import annotations

import base64
import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import jwt
import pytest
from cryptography.hazmat.primitives.asymmetric import ec, rsa
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

from tablewright.web.identity import auth
from tablewright.web.identity.secret import Secret
from tests.web.example import SYSTEM
from tests.web.serving import Server, served

RSA = rsa.generate_private_key(public_exponent=65537, key_size=2048)
OTHER = rsa.generate_private_key(public_exponent=65537, key_size=2048)
EC = ec.generate_private_key(ec.SECP256R1())
AUDIENCE = "the-app"


def me(server: Server, authorization: str | None) -> tuple[int, Any]:
    headers = {} if authorization is None else {"Authorization": authorization}
    reply = server.guest().get("/me", headers=headers)
    return reply.status_code, reply.json().get("userId")


# Dev mode.


def test_a_token_of_dev_mode_tells_who_calls(server: Server) -> None:
    asked = {"sub": "ann", "email": "Ann@Example.org", "name": "Ann", "groups": ["a", "b"]}
    told = server.root.post("/dev/token", json=asked).json()
    assert (told["tokenType"], told["expiresIn"]) == ("Bearer", 3600)
    assert me(server, f"Bearer {told['accessToken']}") == (200, "ann")
    claims = jwt.decode(told["accessToken"], options={"verify_signature": False})
    assert claims["email"] == "ann@example.org"
    reply = server.as_("ann", groups=["b", "a"]).get("/me").json()
    assert reply["groups"] == ["a", "b"]


def test_a_guest_is_served_where_guests_are_and_a_bad_token_is_401_there_too(
    server: Server,
) -> None:
    assert me(server, None) == (200, None)
    for bad in (
        "Bearer x",
        "Bearer",
        "Bearer ",
        "",
        "Basic YTpi",
        "bearer",
        f"Bearer {'x' * 9000}",
    ):
        assert me(server, bad)[0] == 401


def test_without_a_token_dev_mode_says_how_to_get_one(server: Server) -> None:
    refused = server.guest().get("/notes")
    assert refused.status_code == 401
    assert "POST /dev/token" in refused.json()["detail"]
    assert "tablewright token" in refused.json()["detail"]
    bad = server.guest().get("/notes", headers={"Authorization": "Bearer x"})
    assert bad.json()["detail"] == "A valid token is required."


def test_of_many_verified_tokens_the_oldest_is_forgotten(
    server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(auth, "VERIFIED_MAX", 2)
    tokens = [server.token(name) for name in ("ann", "bob", "cleo")]
    assert [me(server, f"Bearer {token}")[0] for token in tokens] == [200] * 3
    assert list(server.services.auth._verified) == tokens[1:]


def test_the_scheme_may_be_written_in_any_case(server: Server) -> None:
    assert me(server, f"bEARER  {server.token('ann')}") == (200, "ann")


def test_a_token_ends_after_an_hour_of_the_servers_clock(server: Server) -> None:
    token = f"Bearer {server.token('ann')}"
    server.advance(3598)
    assert me(server, token)[0] == 200
    server.advance(2)
    assert me(server, token)[0] == 401


def dev_key(server: Server) -> bytes:
    return server.services.secret.key("dev tokens")


def claims(server: Server, **changes: Any) -> dict[str, Any]:
    now = int(server.services.clock.seconds())
    made = {"iss": "tablewright-dev", "sub": "ann", "exp": now + 60} | changes
    return {name: value for name, value in made.items() if value is not None}


@pytest.mark.parametrize(
    "changes",
    [
        {"sub": None},
        {"sub": ""},
        {"sub": "a#b"},
        {"sub": "a b"},
        {"sub": 7},
        {"sub": "x" * 129},
        {"exp": None},
        {"exp": 1},
        {"exp": "9999999999"},
        {"exp": 1e300},
        {"exp": [1]},
        {"exp": True},
        {"iss": None},
        {"iss": "somebody"},
        {"nbf": 99_999_999_999},
        {"nbf": "x"},
    ],
)
def test_claims_that_are_missing_or_wrong_are_401(server: Server, changes: Any) -> None:
    good = jwt.encode(claims(server), dev_key(server), algorithm="HS256")
    assert me(server, f"Bearer {good}") == (200, "ann")
    # PyJWT itself refuses to write some of these.
    head = _part({"alg": "HS256", "typ": "JWT"})
    signed = f"{head}.{_part(claims(server, **changes))}"
    signature = jwt.algorithms.HMACAlgorithm(jwt.algorithms.HMACAlgorithm.SHA256).sign(
        signed.encode(), dev_key(server)
    )
    assert me(server, f"Bearer {signed}.{_text(signature)}")[0] == 401


def _text(raw: bytes) -> str:
    return base64.urlsafe_b64encode(raw).rstrip(b"=").decode()


def _part(content: Any) -> str:
    return _text(json.dumps(content).encode())


def test_a_token_without_signature_or_with_another_one_is_401(server: Server) -> None:
    unsigned = f"{_part({'alg': 'none'})}.{_part(claims(server))}."
    assert me(server, f"Bearer {unsigned}")[0] == 401
    foreign = jwt.encode(claims(server), b"x" * 32, algorithm="HS256")
    assert me(server, f"Bearer {foreign}")[0] == 401
    other = jwt.encode(claims(server), dev_key(server) * 2, algorithm="HS512")
    assert me(server, f"Bearer {other}")[0] == 401


def test_a_token_with_any_character_changed_is_401(server: Server) -> None:
    token = server.token("ann")
    for place in range(0, len(token), 3):
        changed = "A" if token[place] != "A" else "B"
        reply = me(server, f"Bearer {token[:place]}{changed}{token[place + 1 :]}")
        # The last character of a signature has bits that mean nothing.
        assert reply[0] == 401 or place == len(token) - 1


@pytest.mark.parametrize("groups", ["admin", {"admin": 1}, None, 7, ["x", 1, None]])
def test_anything_but_a_list_counts_as_no_groups(server: Server, groups: Any) -> None:
    token = jwt.encode(claims(server, groups=groups), dev_key(server), algorithm="HS256")
    told = server.guest().get("/me", headers={"Authorization": f"Bearer {token}"}).json()
    assert told["groups"] == (["x"] if isinstance(groups, list) else [])


def test_outside_dev_mode_there_are_no_dev_endpoints_and_no_dev_tokens() -> None:
    with served(SYSTEM, host="0.0.0.0") as server:
        for method, path in (
            ("POST", "/dev/token"),
            ("GET", "/dev/clock"),
            ("POST", "/dev/clock"),
            ("GET", "/dev/outbox?to=a@b.c"),
            ("POST", "/dev/ai"),
            ("GET", "/dev"),
        ):
            assert server.root.request(method, path, json={"sub": "ann"}).status_code == 404
        assert me(server, f"Bearer {server.token('ann')}")[0] == 401
        assert me(server, None)[0] == 200


# An OpenID provider.


class Provider:
    """A provider on a port of this machine; ``keys`` is what it tells."""

    def __init__(self, url: str) -> None:
        self.url = url
        self.keys: list[dict[str, Any]] = [_public(RSA, "r1"), _public(EC, "e1")]
        self.configuration: Any = {"issuer": url, "jwks_uri": f"{url}/keys"}
        self.asked: list[str] = []
        self.is_down = False

    def answer(self, path: str) -> Any:
        self.asked.append(path)
        if self.is_down:
            return None
        if path == "/.well-known/openid-configuration":
            return self.configuration
        usual = "/.well-known/jwks.json"
        wanted = usual if self.configuration is None else "/keys"
        return {"keys": self.keys} if path == wanted else None


def _public(key: Any, name: str, **more: Any) -> dict[str, Any]:
    kind = jwt.algorithms.RSAAlgorithm if isinstance(key, rsa.RSAPrivateKey) else None
    made = (kind or jwt.algorithms.ECAlgorithm).to_jwk(key.public_key(), as_dict=True)
    return {**made, "kid": name, "use": "sig", **more}


@contextmanager
def provider() -> Iterator[Provider]:
    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            told = made.answer(self.path)
            body = json.dumps(told).encode()
            self.send_response(404 if told is None else 200)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: Any) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    made = Provider(f"http://127.0.0.1:{server.server_port}")
    thread = threading.Thread(target=server.serve_forever, args=(0.01,))
    thread.start()
    try:
        yield made
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


@pytest.fixture
def issuer() -> Iterator[Provider]:
    with provider() as made:
        yield made


@pytest.fixture
def production(issuer: Provider) -> Iterator[Server]:
    options = {"oidc_issuer": issuer.url, "oidc_audience": AUDIENCE}
    with served(SYSTEM, **options) as opened:
        yield opened


def signed(
    server: Server,
    key: Any = RSA,
    algorithm: str = "RS256",
    name: str | None = "r1",
    headers: dict[str, Any] | None = None,
    **changes: Any,
) -> str:
    content = claims(server, iss=server.services.settings.oidc_issuer, aud=AUDIENCE)
    content = {k: v for k, v in (content | changes).items() if v is not None}
    head = {"kid": name} if name is not None else {}
    return f"Bearer {jwt.encode(content, key, algorithm=algorithm, headers=head | (headers or {}))}"


def test_tokens_of_both_kinds_of_key_are_taken(production: Server, issuer: Provider) -> None:
    assert me(production, signed(production)) == (200, "ann")
    assert me(production, signed(production, EC, "ES256", "e1")) == (200, "ann")
    assert issuer.asked == ["/.well-known/openid-configuration", "/keys"]


def test_without_a_configuration_the_keys_are_where_they_usually_are(
    production: Server, issuer: Provider
) -> None:
    issuer.configuration = None
    assert me(production, signed(production)) == (200, "ann")
    assert issuer.asked[-1] == "/.well-known/jwks.json"


def test_an_audience_may_be_one_of_several_or_the_client_id(production: Server) -> None:
    assert me(production, signed(production, aud=["x", AUDIENCE]))[0] == 200
    assert me(production, signed(production, aud=None, client_id=AUDIENCE))[0] == 200
    for wrong in ({"aud": "x"}, {"aud": ["x"]}, {"aud": None}, {"aud": None, "client_id": "x"}):
        assert me(production, signed(production, **wrong))[0] == 401


def test_the_attacks_on_tokens_are_401(production: Server) -> None:
    pem = RSA.public_key().public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo)
    content = claims(production, iss=production.services.settings.oidc_issuer, aud=AUDIENCE)
    body = f"{_part({'alg': 'HS256', 'kid': 'r1'})}.{_part(content)}"
    mac = jwt.algorithms.HMACAlgorithm(jwt.algorithms.HMACAlgorithm.SHA256).sign(body.encode(), pem)
    attacks = {
        "confusion": f"Bearer {body}.{_text(mac)}",
        "none": f"Bearer {_part({'alg': 'none', 'kid': 'r1'})}.{_part(content)}.",
        "another key": signed(production, OTHER),
        "key in the header": signed(production, OTHER, headers={"jwk": _public(OTHER, "r1")}),
        "key elsewhere": signed(production, OTHER, headers={"jku": "http://127.0.0.1:1/keys"}),
        "another algorithm": signed(production, algorithm="RS512"),
        "strange name": signed(production, name="../../etc/passwd"),
        "a key of the other kind": signed(production, EC, "ES256", "r1"),
        "critical": signed(production, headers={"crit": ["x"], "x": 1}),
        "expired": signed(production, exp=1),
        "another issuer": signed(production, iss="https://elsewhere.example"),
        "later": signed(production, nbf=99_999_999_999),
        "dev": f"Bearer {production.token('ann')}",
        "huge": f"Bearer {'a' * 1_000_000}",
        "not a name": signed(production, headers={"kid": "x"}),
    }
    assert {name: me(production, token)[0] for name, token in attacks.items()} == dict.fromkeys(
        attacks, 401
    )


def test_groups_come_from_the_claim_that_was_named_then_from_cognitos(issuer: Provider) -> None:
    def groups(server: Server, **changes: Any) -> list[str]:
        headers = {"Authorization": signed(server, **changes)}
        found: list[str] = server.guest().get("/me", headers=headers).json()["groups"]
        return found

    options = {"oidc_issuer": issuer.url, "oidc_audience": AUDIENCE}
    cognito = {"cognito:groups": ["c"]}
    with served(SYSTEM, **options) as server:
        assert groups(server, groups=["g"], **cognito) == ["g"]
        assert groups(server, **cognito) == ["c"]
        assert groups(server, groups="g", **cognito) == []
    with served(SYSTEM, **options, groups_claim="roles") as server:
        assert groups(server, groups=["g"], roles=["r"]) == ["r"]
        assert groups(server, groups=["g"], **cognito) == ["c"]


def test_keys_that_are_new_are_found_but_not_asked_for_by_every_token(
    production: Server, issuer: Provider
) -> None:
    assert me(production, signed(production))[0] == 200
    issuer.keys.append(_public(OTHER, "r2"))
    production.services.clock.advance(31)
    assert me(production, signed(production, OTHER, name="r2"))[0] == 200
    asked = len(issuer.asked)
    for number in range(20):
        assert me(production, signed(production, name=f"x{number}"))[0] == 401
    assert len(issuer.asked) == asked
    production.services.clock.advance(31)
    for number in range(20):
        assert me(production, signed(production, name=f"x{number}"))[0] == 401
    assert len(issuer.asked) == asked + 2


def test_a_key_that_was_withdrawn_is_good_for_ten_minutes_at_most(
    production: Server, issuer: Provider
) -> None:
    assert me(production, signed(production))[0] == 200
    del issuer.keys[0]
    production.services.clock.advance(601)
    assert me(production, signed(production))[0] == 401


def test_a_provider_that_is_away_is_502_at_first_and_no_matter_later(
    production: Server, issuer: Provider
) -> None:
    issuer.is_down = True
    reply = production.guest().get("/me", headers={"Authorization": signed(production)})
    assert (reply.status_code, reply.json()["code"]) == (502, "upstream_error")
    issuer.is_down = False
    production.services.clock.advance(31)
    assert me(production, signed(production))[0] == 200
    issuer.is_down = True
    production.services.clock.advance(10_000)
    assert me(production, signed(production))[0] == 200


def test_many_first_requests_ask_the_provider_once(production: Server, issuer: Provider) -> None:
    headers = {"Authorization": signed(production)}
    guest = production.guest()
    replies = production.together(guest.ask("GET", "/me", headers=headers) for _ in range(20))
    assert {reply.status_code for reply in replies} == {200}
    assert len(issuer.asked) == 2


def test_keys_that_are_not_for_signing_are_not_used(production: Server, issuer: Provider) -> None:
    issuer.keys = [_public(RSA, "r1", use="enc"), {"kty": "oct", "k": "x"}, {"kty": "RSA"}]
    assert me(production, signed(production))[0] == 401


def test_a_token_without_a_keys_name_is_taken_if_only_one_key_fits(
    production: Server, issuer: Provider
) -> None:
    assert me(production, signed(production, name=None))[0] == 200
    issuer.keys.append(_public(OTHER, "r2"))
    production.services.clock.advance(601)
    assert me(production, signed(production, name=None))[0] == 401


def test_the_secret_is_made_once_and_only_its_owner_may_read_it(tmp_path: Any) -> None:
    path = tmp_path / "secret"
    made = Secret.from_file(path)
    assert path.stat().st_mode & 0o777 == 0o600
    assert len(path.read_bytes()) >= 32
    assert Secret.from_file(path).key("a") == made.key("a") != made.key("b")
