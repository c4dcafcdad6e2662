"""What a server gives each of its systems: store, clock, ids, tokens, cursors, and the rest."""

from __future__ import annotations

from dataclasses import dataclass

from tablewright.stores.async_store import AsyncStore
from tablewright.stores.cursors import Cursors
from tablewright.web.identity.auth import Authenticator
from tablewright.web.identity.secret import Secret
from tablewright.web.server.server_settings import Settings
from tablewright.web.services.ai import Assistant
from tablewright.web.services.background import Background
from tablewright.web.services.blobs import Blobs
from tablewright.web.services.clock import Clock
from tablewright.web.services.ids import Ids
from tablewright.web.services.mail import Outbox

__all__ = ["Services"]


@dataclass(frozen=True)
class Services:
    """One for a server."""

    settings: Settings
    secret: Secret
    clock: Clock
    ids: Ids
    store: AsyncStore
    cursors: Cursors
    auth: Authenticator
    blobs: Blobs
    outbox: Outbox
    ai: Assistant
    background: Background

    async def close(self) -> None:
        """End what goes on beside requests, then let go of everything."""
        await self.background.close()
        await self.outbox.close()
        await self.auth.close()
        await self.ai.close()
        await self.store.close()
