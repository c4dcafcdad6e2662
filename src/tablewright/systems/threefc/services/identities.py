"""The accounts that e-mail addresses belong to, where an issuer's tokens authenticate callers.

People are known by their address. A token counts only if its issuer has verified the address, and
the first account (issuer and subject) that shows it keeps it: a later account with the same
address is another person. A link by mail is another proof of the same address; it neither
makes nor needs such a binding.
"""

from __future__ import annotations

from typing import Final

from tablewright import Conflict, create
from tablewright.systems.threefc.design import Identity, P
from tablewright.web.http.problems import Problem
from tablewright.web.identity.auth import DEV_ISSUER, Principal
from tablewright.web.services.services import Services

__all__ = ["Identities"]

KNOWN_MAX: Final = 10_000


class Identities:
    """Binds addresses to accounts, once."""

    def __init__(self, services: Services) -> None:
        self._store = services.store
        self._known: dict[str, Identity] = {}  # A binding never changes, so it may be kept.

    async def require(self, principal: Principal, email: str) -> None:
        """Raise 401 unless an address is the caller's; a free address becomes the caller's.

        Tokens of dev mode are not checked: anyone may get one for any address.
        """
        if principal.issuer == DEV_ISSUER:
            return
        if not principal.is_email_verified:
            raise Problem(401, detail="This needs a token whose e-mail address is verified.")
        bound = self._known.get(email) or await self._bound(principal, email)
        if len(self._known) >= KNOWN_MAX:
            del self._known[next(iter(self._known))]  # The oldest of them.
        self._known[email] = bound
        if (bound.issuer, bound.subject) != (principal.issuer, principal.user_id):
            raise Problem(401, detail="This e-mail address belongs to another account.")

    async def _bound(self, principal: Principal, email: str) -> Identity:
        """The account that an address belongs to; from now on the caller's, if it had none."""
        identity = await self._store.run(P.get_identity(email))
        if identity is not None:
            return identity
        mine = Identity(email=email, issuer=principal.issuer, subject=principal.user_id)
        try:
            return await self._store.run(create(mine))
        except Conflict:  # Another request was first, be it this caller's.
            return await self._store.run(P.get_identity(email).required())
