"""Blobs: files that clients upload and download by signed URLs, kept in a folder or in S3.

Keys are made by the server. An upload URL is good for one key, type and size, and cannot read; a
read URL cannot write.
"""

from __future__ import annotations

import asyncio
import fcntl
import glob
import os
import re
import shutil
import tempfile
import time
from abc import ABC, abstractmethod
from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import IO, Final, Literal
from urllib.parse import parse_qs, unquote, urlsplit

import orjson

from tablewright.errors import StorageFull, TablewrightError
from tablewright.web.http.field_types import Answer
from tablewright.web.http.problems import Problem, field_problem
from tablewright.web.services.clock import Clock
from tablewright.web.services.renditions import BYTES_MAX, PLACEHOLDER, Rendition, Renditions
from tablewright.web.services.signed_urls import SignedUrls

__all__ = ["Blob", "Blobs", "BlobsUnusable", "FolderBlobs", "open_blobs", "safe_name"]

UPLOAD_SECONDS: Final = 900
READ_SECONDS: Final = 3600
_SEGMENT = re.compile(r"[A-Za-z0-9_.:@|=+-]{1,200}").fullmatch
_OWN = "~"  # In the names of a folder's own files; no key has it.
_UPLOAD = f"{_OWN}upload-"


class BlobsUnusable(TablewrightError):
    """The blobs option cannot be understood, or its place cannot be used."""


@dataclass(frozen=True)
class Blob:
    """A stored object."""

    key: str
    content_type: str
    size: int
    stored_at: datetime


def safe_name(file_name: str) -> str:
    """A file name as it may stand in a key, also as a segment by itself."""
    plain = re.sub(r"[^A-Za-z0-9._-]", "_", file_name)
    return plain if plain.strip(".") else "_" * len(plain)


class UploadAnswer(Answer):
    """Where and how one object can be uploaded."""

    url: str
    method: Literal["PUT"] = "PUT"
    headers: dict[str, str]
    key: str
    expires_in: int = UPLOAD_SECONDS


class Blobs(ABC):
    """Where files are."""

    def __init__(self, urls: SignedUrls) -> None:
        self.urls = urls
        self._renditions = Renditions()

    @abstractmethod
    def upload_url(self, key: str, content_type: str, size: int) -> str:
        """A URL to put one object to."""

    @abstractmethod
    def read_url(self, key: str) -> str:
        """A URL to get an object from."""

    @abstractmethod
    async def find(self, key: str) -> Blob | None:
        """What is stored under a key."""

    @abstractmethod
    async def write(self, key: str, content_type: str, content: bytes) -> None:
        """Store an object that the server itself has made."""

    @abstractmethod
    async def read(self, key: str) -> bytes:
        """An object's content; 404 if there is none."""

    @abstractmethod
    async def delete(self, key: str) -> None:
        """Remove an object; none is fine."""

    @abstractmethod
    async def copy(self, key: str, to: str) -> None:
        """Store an object under another key, too; 404 if there is none."""

    @abstractmethod
    async def under(self, prefix: str) -> list[Blob]:
        """The objects whose key begins so, by key."""

    def rendition_url(self, key: str, edge: int) -> str:
        """A URL of this server to a picture of an object, for pages; see `renditions`."""
        return self.urls.make("GET", key, READ_SECONDS, rendition=str(edge))

    async def rendition(self, key: str, edge: int) -> Rendition:
        """A picture of an object, drawn when it is first asked for; 404 if there is none."""
        blob = await self.find(key)
        if blob is None:
            raise Problem(404, detail="No such file.")
        if blob.size > BYTES_MAX:
            return PLACEHOLDER
        kept = await self.kept_rendition(blob, edge)
        if kept is not None:
            return Rendition(kept)
        rendition = await self._renditions.draw(await self.read(key), edge)
        if rendition is not PLACEHOLDER:
            await self.keep_rendition(blob, edge, rendition.content)
        return rendition

    async def kept_rendition(self, blob: Blob, edge: int) -> bytes | None:  # noqa: ARG002
        """A picture that was drawn before, where they are kept."""
        return None

    async def keep_rendition(self, blob: Blob, edge: int, content: bytes) -> None:  # noqa: B027
        """Keep a picture, where they are kept."""

    def upload(self, key: str, content_type: str, size: int) -> UploadAnswer:
        """The answer of an endpoint that returns an upload URL."""
        return UploadAnswer(
            url=self.upload_url(key, content_type, size),
            headers={"Content-Type": content_type},
            key=key,
        )

    async def require(self, field: str, key: str, prefix: str) -> None:
        """Raise 400 unless a key that a client sent lies under its prefix and exists."""
        if not key.startswith(prefix) or not is_key(key) or await self.find(key) is None:
            raise field_problem(field, "is not an object that was uploaded here")


def is_key(key: str) -> bool:
    """Whether a text can be a key: segments of plain characters, none of them dots only."""
    segments = key.split("/")
    return len(key) <= 1024 and all(_SEGMENT(s) and s.strip(".") for s in segments)


class FolderBlobs(Blobs):
    """Files in a folder, served by this server."""

    def __init__(self, root: Path, base_url: str, secret: bytes, clock: Clock) -> None:
        super().__init__(SignedUrls(base_url, secret, clock))
        self._root = root
        self._clock = clock

    def upload_url(self, key: str, content_type: str, size: int) -> str:
        return self.urls.make("PUT", key, UPLOAD_SECONDS, type=content_type, size=str(size))

    def read_url(self, key: str) -> str:
        return self.urls.make("GET", key, READ_SECONDS)

    async def store(
        self, key: str, query: dict[str, str], content_type: str, chunks: AsyncIterator[bytes]
    ) -> None:
        """Keep what is uploaded; 400 or 413 unless it is of the type and size that was signed."""
        if content_type.strip().lower() != query["type"].lower():
            raise field_problem("Content-Type", f"must be {query['type']}")
        size, wanted = 0, int(query["size"])
        path = self._path(key)
        with _full_disk_reported():
            _make_folder(path.parent)
            with _temporary(path.parent) as (file, name):
                async for chunk in chunks:
                    size += len(chunk)
                    if size > wanted:
                        raise Problem(413)
                    await asyncio.to_thread(file.write, chunk)
                if size < wanted:
                    raise field_problem("body", f"must have {wanted} bytes")
                await asyncio.to_thread(_sync, file)
                self._publish(name, path, query["type"])

    def _publish(self, name: str, path: Path, content_type: str) -> None:
        """Make an object appear whole: its description first, then itself by one rename."""
        about = {"contentType": content_type, "storedAt": self._clock.seconds()}
        _write_private(self._about(path), orjson.dumps(about))
        Path(name).replace(path)
        _discard_renditions(path)

    def path(self, key: str) -> Path:
        """Where an object is; 404 if there is none."""
        path = self._path(key)
        if not path.is_file():
            raise Problem(404, detail="No such file.")
        return path

    def _path(self, key: str) -> Path:
        """Where a key's file is or would be; 404 if that is not inside the folder."""
        path = self._root / key
        # A symbolic link in the folder may lead out of it.
        if not is_key(key) or not path.resolve().is_relative_to(self._root.resolve()):
            raise Problem(404, detail="No such file.")
        return path

    @staticmethod
    def _about(path: Path) -> Path:
        return path.with_name(f"{path.name}{_OWN}about")

    async def find(self, key: str) -> Blob | None:
        return await asyncio.to_thread(self._find, key)

    def _find(self, key: str) -> Blob | None:
        try:
            path = self._path(key)
            about = orjson.loads(self._about(path).read_bytes())
            size = path.stat().st_size
        except (OSError, Problem):
            return None
        stored_at = datetime.fromtimestamp(about["storedAt"], UTC)
        return Blob(key, about["contentType"], size, stored_at)

    async def write(self, key: str, content_type: str, content: bytes) -> None:
        async def whole() -> AsyncIterator[bytes]:
            yield content

        query = {"type": content_type, "size": str(len(content))}
        await self.store(key, query, content_type, whole())

    async def read(self, key: str) -> bytes:
        try:
            return await asyncio.to_thread(self.path(key).read_bytes)
        except FileNotFoundError:
            raise Problem(404, detail="No such file.") from None

    async def delete(self, key: str) -> None:
        path = self._path(key)
        path.unlink(missing_ok=True)
        self._about(path).unlink(missing_ok=True)
        _discard_renditions(path)

    async def copy(self, key: str, to: str) -> None:
        source, target, blob = self.path(key), self._path(to), await self.find(key)
        if blob is None:
            raise Problem(404, detail="No such file.")
        with _full_disk_reported():
            _make_folder(target.parent)
            with _temporary(target.parent) as (_, name):
                try:
                    await asyncio.to_thread(shutil.copyfile, source, name)
                except FileNotFoundError:
                    raise Problem(
                        404, detail="No such file."
                    ) from None  # It was there a moment ago.
                self._publish(name, target, blob.content_type)

    def _rendition(self, blob: Blob, edge: int) -> Path:
        """Where a picture of an object is kept: beside it, and only of it as it is now."""
        path = self._path(blob.key)
        return path.with_name(f"{path.name}{_OWN}{edge}-{blob.stored_at.timestamp():.6f}")

    async def kept_rendition(self, blob: Blob, edge: int) -> bytes | None:
        try:
            return await asyncio.to_thread(self._rendition(blob, edge).read_bytes)
        except FileNotFoundError:
            return None

    async def keep_rendition(self, blob: Blob, edge: int, content: bytes) -> None:
        def keep() -> None:
            path = self._rendition(blob, edge)
            with _temporary(path.parent) as (file, name):
                file.write(content)
                file.flush()
                Path(name).replace(path)

        await asyncio.to_thread(keep)

    def sweep_uploads(self) -> None:
        """Remove what uploads have left that were killed. One that goes on holds a lock."""
        started = time.time()
        for path in self._root.rglob(f"{_UPLOAD}*"):
            with suppress(OSError), path.open("rb") as file:
                if os.fstat(file.fileno()).st_mtime < started:
                    fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
                    path.unlink()

    async def under(self, prefix: str) -> list[Blob]:
        return await asyncio.to_thread(self._under, prefix)

    def _under(self, prefix: str) -> list[Blob]:
        folder = self._root / prefix.rpartition("/")[0]
        if not folder.is_dir():
            return []
        keys = [
            path.relative_to(self._root).as_posix()
            for path in folder.rglob("*")
            if path.is_file() and _OWN not in path.name
        ]
        blobs = [self._find(key) for key in sorted(keys) if key.startswith(prefix)]
        return [blob for blob in blobs if blob is not None]


@contextmanager
def _temporary(folder: Path) -> Iterator[tuple[IO[bytes], str]]:
    """A file that is to become another; locked while it is written, gone if it becomes none."""
    descriptor, name = tempfile.mkstemp(dir=folder, prefix=_UPLOAD)
    try:
        with os.fdopen(descriptor, "wb") as file:
            fcntl.flock(file, fcntl.LOCK_EX)
            yield file, name
    finally:
        Path(name).unlink(missing_ok=True)


def _discard_renditions(path: Path) -> None:
    """Remove the pictures of an object that is another now, or none."""
    for kept in path.parent.glob(f"{glob.escape(path.name)}{_OWN}[0-9]*"):
        kept.unlink(missing_ok=True)


def open_blobs(option: str, base_url: str, secret: bytes, clock: Clock) -> Blobs:
    """The place that an option names; raises BlobsUnusable."""
    parts = urlsplit(option)
    if parts.scheme == "file" and parts.path and not parts.netloc:
        folder = FolderBlobs(_folder(parts.path), base_url, secret, clock)
        folder.sweep_uploads()
        return folder
    if parts.scheme == "s3" and parts.netloc:
        from tablewright.web.services.aws import aws_client
        from tablewright.web.services.s3_blobs import S3Blobs

        prefix = parse_qs(parts.query).get("prefix", [""])[0]
        urls = SignedUrls(base_url, secret, clock)
        return S3Blobs(aws_client("s3"), parts.netloc, prefix, urls)
    raise BlobsUnusable(f"{option}: use file:FOLDER or s3://BUCKET?prefix=P")


def _make_folder(path: Path) -> None:
    """Make a folder, and those above it, for its owner alone: file names may be private."""
    if not path.is_dir():
        _make_folder(path.parent)
        path.mkdir(0o700, exist_ok=True)


def _write_private(path: Path, content: bytes) -> None:
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    with os.fdopen(descriptor, "wb") as file:
        file.write(content)


def _sync(file: IO[bytes]) -> None:
    """Wait until a file is on disk: what is acknowledged stays."""
    file.flush()
    os.fsync(file.fileno())


@contextmanager
def _full_disk_reported() -> Iterator[None]:
    """Raise 507 where there is no room."""
    try:
        yield
    except OSError as error:
        if error.errno in StorageFull.ERRNOS:
            raise Problem(507) from None
        raise


def _folder(path: str) -> Path:
    folder = Path(unquote(path))
    try:
        _make_folder(folder)
    except OSError as error:
        raise BlobsUnusable(f"{folder}: {error.strerror}") from error
    if not os.access(folder, os.W_OK):
        raise BlobsUnusable(f"{folder}: cannot be written to")
    return folder
