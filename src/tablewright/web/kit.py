"""What a server gives each of its systems: store, clock, ids, tokens, cursors, and the rest."""

from __future__ import annotations

from dataclasses import dataclass

from tablewright.stores.async_store import AsyncStore
from tablewright.stores.cursors import Cursors
from tablewright.web.ai import Assistant
from tablewright.web.auth import Authenticator
from tablewright.web.background import Background
from tablewright.web.blobs import Blobs
from tablewright.web.clock import Clock
from tablewright.web.ids import Ids
from tablewright.web.mail import Outbox
from tablewright.web.secrets import Secret
from tablewright.web.settings import Settings

__all__ = ["Kit"]


@dataclass(frozen=True)
class Kit:
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
