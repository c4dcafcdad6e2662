"""What HTTP backends share: problems, fields, identity, lists, versions, idempotency, blobs."""

from __future__ import annotations

__all__: list[str] = []
