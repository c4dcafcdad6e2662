"""Who gets in: one token for one visit, this machine's own names, the studio's own pages."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tablewright.studio.shell.gate import Sessions
from tablewright.studio.shell.mount import mount_studio
from tablewright.studio.shell.studio_settings import StudioRefused, StudioSettings
from tablewright.web.server.server_settings import Settings
from tests.studio.studios import Visitor, opened, roll_model


@pytest.fixture(scope="module")
def visitor() -> Iterator[Visitor]:
    with opened(roll_model()) as visitor:
        yield visitor


@pytest.mark.parametrize("path", ["/", "/roll-model/", "/roll-model/map.json"])
def test_without_a_token_nothing_is_shown(visitor: Visitor, path: str) -> None:
    answer = visitor.stranger(path)
    assert answer.status_code == 401
    assert "Entry" not in answer.text


def test_a_token_becomes_a_cookie_that_scripts_and_other_sites_do_not_get(visitor: Visitor) -> None:
    token = visitor.sessions.new_token()
    answer = visitor.stranger(f"/roll-model/map?view=chart&token={token}")
    assert answer.status_code == 303
    assert answer.headers["location"] == "/studio/roll-model/map?view=chart"
    cookie = answer.headers["set-cookie"].lower()
    assert "httponly" in cookie
    assert "samesite=strict" in cookie
    assert "path=/studio" in cookie
    assert token not in cookie


def test_a_token_opens_the_studio_once(visitor: Visitor) -> None:
    token = visitor.sessions.new_token()
    visitor.stranger(f"/?token={token}")
    again = visitor.stranger(f"/?token={token}")
    assert again.status_code == 401
    assert "set-cookie" not in again.headers


@pytest.mark.parametrize("token", ["", "guess", "é", "a" * 10_000])
def test_a_guessed_token_or_cookie_opens_nothing(visitor: Visitor, token: str) -> None:
    by_token = visitor.stranger("/", params={"token": token})
    assert by_token.status_code == 401
    cookie = {"cookie": f"tablewright_studio_8080={token}".encode()}
    assert visitor.stranger("/", headers=cookie).status_code == 401


@pytest.mark.parametrize("host", ["evil.example", "evil.example:8080", "127.0.0.1:9999", ""])
def test_another_name_for_this_machine_is_refused(visitor: Visitor, host: str) -> None:
    assert visitor.get("/roll-model/", host=host).status_code == 403


@pytest.mark.parametrize("host", ["127.0.0.1:8080", "localhost:8080", "[::1]:8080"])
def test_its_own_names_are_known(visitor: Visitor, host: str) -> None:
    assert visitor.get("/roll-model/", host=host).status_code == 200


@pytest.mark.parametrize(
    "origin", ["http://evil.example", "https://127.0.0.1:8080", "null", "http://127.0.0.1:1"]
)
def test_pages_of_other_origins_are_refused(visitor: Visitor, origin: str) -> None:
    assert visitor.get("/roll-model/", origin=origin).status_code == 403
    assert visitor.post("/roll-model/writes/create.Entry", {}, origin=origin).status_code == 403


def test_the_policy_allows_nothing_from_elsewhere_and_nothing_inline(visitor: Visitor) -> None:
    answer = visitor.get("/roll-model/map")
    policy = answer.headers["content-security-policy"]
    assert policy.startswith("default-src 'self'")
    assert "unsafe" not in policy
    assert "style=" not in answer.text
    assert "onclick" not in answer.text
    assert "http://" not in answer.text.replace("http://127.0.0.1", "")


def test_the_studio_listens_on_loopback_addresses_only() -> None:
    with pytest.raises(StudioRefused, match="loopback"):
        StudioSettings(host="0.0.0.0")


def test_only_an_embedded_store_may_be_written_without_being_asked() -> None:
    assert StudioSettings(store="sqlite:///x.db").may_write
    assert not StudioSettings(store="dynamodb://us-east-1").may_write
    assert not StudioSettings(store="dynamodb+http://127.0.0.1:8000").may_write
    assert StudioSettings(store="dynamodb://us-east-1", allows_writes=True).may_write


@pytest.mark.parametrize(
    ("store", "kind"),
    [
        ("sqlite://:memory:", "embedded"),
        ("sqlite:///data/app.db", "embedded"),
        ("dynamodb+http://127.0.0.1:8000", "endpoint"),
        ("dynamodb://eu-central-1", "aws"),
    ],
)
def test_the_chip_says_what_kind_of_store_it_is(store: str, kind: str) -> None:
    assert StudioSettings(store=store).backend.kind == kind


def test_sessions_know_only_the_tokens_they_made() -> None:
    sessions = Sessions()
    token = sessions.new_token()
    assert sessions.redeem("other") is None
    session = sessions.redeem(token)
    assert session is not None
    assert sessions.is_open(session)
    assert not sessions.is_open(token)
    assert sessions.redeem(token) is None


def test_a_server_mounts_the_studio_only_where_nobody_else_reaches_it() -> None:
    assert mount_studio(Settings(host="0.0.0.0"), ["roll-model"]) is None
    mounted = mount_studio(Settings(port=8123), ["roll-model"])
    assert mounted is not None
    assert list(mounted.systems) == ["/studio"]
    assert mounted.url.startswith("http://127.0.0.1:8123/studio/?token=")
