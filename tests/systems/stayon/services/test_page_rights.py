"""What tokens are worth: the table of passcodes and rights, and tokens that count as absent."""

from __future__ import annotations

from typing import Any

import jwt
import pytest
from starlette.requests import Request

from tablewright.systems.stayon.design import Shareable
from tablewright.systems.stayon.services.page_rights import (
    TOKEN_SECONDS,
    Grant,
    Level,
    Rights,
    Tokens,
    grant_of,
)
from tablewright.web.identity.origins import Origins
from tablewright.web.server.server_settings import Settings
from tablewright.web.services.clock import Clock
from tests.systems.stayon.rows import checklist

KEY = b"0123456789abcdef0123456789abcdef"
CLOCK = Clock()
TOKENS = Tokens(KEY, CLOCK, Origins(Settings()), is_https=False)


def made(tokens: Tokens, of: Shareable, level: Level) -> str:
    """A token of a level, be there a passcode of it or not."""
    return tokens.make(of.short_id, grant_of(of, level) or Grant(level, 0))


def page(*levels: str) -> Shareable:
    values: dict[str, Any] = {}
    for number, level in enumerate(levels):
        values |= {f"{level}_passcode": "hash", f"{level}_passcode_version": 100 + number}
    return checklist(**values)


def rights(of: Shareable, *tokens: str, cookies: str = "") -> Rights:
    headers = [(b"authorization", f"Bearer {token}".encode()) for token in tokens]
    if cookies:
        headers.append((b"cookie", cookies.encode()))
    return TOKENS.rights(Request({"type": "http", "method": "GET", "headers": headers}), of)


@pytest.mark.parametrize(
    ("levels", "nobody", "viewer", "manager"),
    [
        ((), "admin", "admin", "admin"),
        (("view",), "none", "admin", "none"),
        (("admin",), "view", "view", "admin"),
        (("view", "admin"), "none", "view", "admin"),
    ],
)
def test_rights_follow_from_the_passcodes_there_are(
    levels: tuple[str, ...], nobody: str, viewer: str, manager: str
) -> None:
    of = page(*levels)
    asked = {"nobody": (), "viewer": (made(TOKENS, of, "view"),)}
    asked |= {"manager": (made(TOKENS, of, "admin"),)}
    told = {
        who: "admin" if found.can_manage else "view" if found.can_view else "none"
        for who, found in ((who, rights(of, *tokens)) for who, tokens in asked.items())
    }
    assert told == {"nobody": nobody, "viewer": viewer, "manager": manager}


def test_the_highest_of_several_tokens_counts() -> None:
    of = page("view", "admin")
    view, admin = made(TOKENS, of, "view"), made(TOKENS, of, "admin")
    name = of.short_id.replace("-", "")
    assert rights(of, view, cookies=f"view_{name}={admin}").can_manage
    assert rights(of, "rubbish", cookies=f"admin_{name}={view}").can_view
    assert not rights(of, cookies=f"admin_{name}={view}").can_manage
    assert not rights(of, cookies=f"admin_xyzxyz00000={admin}").has_token


def test_tokens_that_do_not_fit_count_as_absent() -> None:
    of = page("view", "admin")
    now = int(CLOCK.seconds())
    claims = {"iss": "stayon", "sub": of.short_id, "level": "admin", "version": 101}
    claims |= {"exp": now + 60}
    assert rights(of, jwt.encode(claims, KEY, "HS256")).can_manage
    wrong: list[dict[str, Any]] = [
        {"sub": "xyz-xyz-00000"},
        {"version": 100},
        {"version": None},
        {"level": "owner"},
        {"level": "view"},
        {"exp": now - 1},
        {"iss": "tablewright"},
        {"level": ["admin"]},
    ]
    for change in wrong:
        assert not rights(of, jwt.encode(claims | change, KEY, "HS256")).has_token, change
    other = jwt.encode(claims, b"x" * 32, "HS256")
    unsigned = jwt.encode(claims, "", "none")
    for token in (other, unsigned, "", "a.b.c"):
        assert not rights(of, token).has_token


def test_a_token_is_worth_a_week() -> None:
    of = page("view")
    clock = Clock()
    tokens = Tokens(KEY, clock, Origins(Settings()), is_https=False)
    request = Request(
        {
            "type": "http",
            "headers": [(b"authorization", f"Bearer {made(tokens, of, 'view')}".encode())],
        }
    )
    clock.advance(TOKEN_SECONDS - 1)
    assert tokens.rights(request, of).can_view
    clock.advance(1)
    assert not tokens.rights(request, of).can_view
