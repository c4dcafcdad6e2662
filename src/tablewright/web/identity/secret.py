"""One secret per installation; every signature uses a key of its own that is derived from it."""

from __future__ import annotations

import hashlib
import hmac
import os
import secrets
import stat
from pathlib import Path

from tablewright.errors import TablewrightError

__all__ = ["Secret", "SecretUnusable"]

BYTES_MIN = 32


class SecretUnusable(TablewrightError):
    """The secret's file cannot be read, or holds too little."""


class Secret:
    """The root of all keys."""

    def __init__(self, root: bytes) -> None:
        if len(root) < BYTES_MIN:
            raise SecretUnusable(f"a secret has at least {BYTES_MIN} bytes")
        self._root = root

    @classmethod
    def from_file(cls, path: Path) -> Secret:
        """The secret of a file, which is made if it is missing; only its owner may read it.

        Raises SecretUnusable for a file that other users can read, or that is too short.
        """
        try:
            descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        except FileExistsError:
            return cls(_read(path))
        except OSError as error:
            raise SecretUnusable(f"{path}: {error.strerror}") from error
        with os.fdopen(descriptor, "wb") as file:
            file.write(secrets.token_hex(BYTES_MIN).encode())
        return cls(path.read_bytes())

    def key(self, purpose: str) -> bytes:
        """The key for one purpose."""
        return hmac.digest(self._root, f"tablewright:{purpose}".encode(), hashlib.sha256)


def _read(path: Path) -> bytes:
    try:
        with path.open("rb") as file:
            mode = os.fstat(file.fileno()).st_mode
            content = file.read().strip()
    except OSError as error:
        raise SecretUnusable(f"{path}: {error.strerror}") from error
    if mode & stat.S_IROTH:
        raise SecretUnusable(
            f"{path}: every user of this machine can read the secret; run chmod 600 {path}"
        )
    if not content:
        raise SecretUnusable(f"{path}: the secret file is empty; delete it, and a new one is made")
    if len(content) < BYTES_MIN:
        raise SecretUnusable(f"{path}: the secret has {len(content)} bytes, fewer than {BYTES_MIN}")
    return content
