"""Blobs: files that clients upload and download by signed URLs, kept in a folder or in S3.

Keys are made by the server. An upload URL is good for one key, type and size, and cannot read; a
read URL cannot write.
"""

from __future__ import annotations

import asyncio
import hashlib
import hmac
import os
import re
import shutil
import tempfile
from abc import ABC, abstractmethod
from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final
from urllib.parse import parse_qs, quote, unquote, urlencode, urlsplit

import orjson

from tablewright.errors import TablewrightError
from tablewright.web.clock import Clock
from tablewright.web.problems import Problem, field_problem

__all__ = ["Blob", "Blobs", "BlobsUnusable", "FolderBlobs", "S3Blobs", "open_blobs", "safe_name"]

UPLOAD_SECONDS: Final = 900
READ_SECONDS: Final = 3600
_SEGMENT = re.compile(r"[A-Za-z0-9_.:@|=+-]{1,200}").fullmatch
_OWN = "~"  # In the names of a folder's own files; no key has it.


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


class Blobs(ABC):
    """Where files are."""

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

    def upload(self, key: str, content_type: str, size: int) -> dict[str, Any]:
        """The answer of an endpoint that gives an upload URL."""
        return {
            "url": self.upload_url(key, content_type, size),
            "method": "PUT",
            "headers": {"Content-Type": content_type},
            "key": key,
            "expiresIn": UPLOAD_SECONDS,
        }

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
        self._root = root
        self._base_url = base_url
        self._secret = secret
        self._clock = clock

    def upload_url(self, key: str, content_type: str, size: int) -> str:
        expires = int(self._clock.seconds()) + UPLOAD_SECONDS
        query = {"type": content_type, "size": str(size), "expires": str(expires)}
        return self._url("PUT", key, query)

    def read_url(self, key: str) -> str:
        return self._url("GET", key, {"expires": str(int(self._clock.seconds()) + READ_SECONDS)})

    def _url(self, method: str, key: str, query: dict[str, str]) -> str:
        signed = urlencode({**query, "signature": self._signature(method, key, query)})
        return f"{self._base_url}/blobs/{quote(key)}?{signed}"

    def _signature(self, method: str, key: str, query: dict[str, str]) -> str:
        told = [method, key, *(f"{name}={query[name]}" for name in sorted(query))]
        return hmac.new(self._secret, "\n".join(told).encode(), hashlib.sha256).hexdigest()

    def require_signed(self, method: str, key: str, query: dict[str, str]) -> None:
        """Raise 403 unless a URL is one of ours for this method, and not expired."""
        rest = {name: value for name, value in query.items() if name != "signature"}
        expected = self._signature(method, key, rest)
        given = query.get("signature", "")
        if not hmac.compare_digest(expected.encode(), given.encode()) or not is_key(key):
            raise Problem(403, detail="This URL is not signed.")
        if int(rest["expires"]) <= self._clock.seconds():
            raise Problem(403, detail="This URL has expired.")

    async def store(
        self, key: str, query: dict[str, str], content_type: str, chunks: AsyncIterator[bytes]
    ) -> None:
        """Keep what is uploaded; 400 or 413 unless it is of the type and size that was signed."""
        if content_type.strip().lower() != query["type"].lower():
            raise field_problem("Content-Type", f"must be {query['type']}")
        size, wanted = 0, int(query["size"])
        path = self._path(key)
        path.parent.mkdir(parents=True, exist_ok=True)
        descriptor, name = tempfile.mkstemp(dir=path.parent, prefix=f"{_OWN}upload-")
        try:
            with os.fdopen(descriptor, "wb") as file:
                async for chunk in chunks:
                    size += len(chunk)
                    if size > wanted:
                        raise Problem(413)
                    await asyncio.to_thread(file.write, chunk)
                if size < wanted:
                    raise field_problem("body", f"must have {wanted} bytes")
            self._publish(name, path, query["type"])
        finally:
            _discard(name)

    def _publish(self, name: str, path: Path, content_type: str) -> None:
        """Make an object appear whole: its description first, then itself by one rename."""
        about = {"contentType": content_type, "storedAt": self._clock.seconds()}
        self._about(path).write_bytes(orjson.dumps(about))
        Path(name).replace(path)

    def path(self, key: str) -> Path:
        """Where an object is; 404 if there is none."""
        path = self._path(key)
        if not path.is_file():
            raise Problem(404)
        return path

    def _path(self, key: str) -> Path:
        """Where a key's file is or would be; 404 if that is not inside the folder."""
        path = self._root / key
        # A link that somebody put into the folder may lead out of it.
        if not is_key(key) or not path.resolve().is_relative_to(self._root.resolve()):
            raise Problem(404)
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
            raise Problem(404) from None

    async def delete(self, key: str) -> None:
        path = self._path(key)
        path.unlink(missing_ok=True)
        self._about(path).unlink(missing_ok=True)

    async def copy(self, key: str, to: str) -> None:
        source, target, blob = self.path(key), self._path(to), await self.find(key)
        if blob is None:
            raise Problem(404)
        target.parent.mkdir(parents=True, exist_ok=True)
        descriptor, name = tempfile.mkstemp(dir=target.parent, prefix=f"{_OWN}upload-")
        os.close(descriptor)
        try:
            try:
                await asyncio.to_thread(shutil.copyfile, source, name)
            except FileNotFoundError:
                raise Problem(404) from None  # It was there a moment ago.
            self._publish(name, target, blob.content_type)
        finally:
            _discard(name)

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
        found = [self._find(key) for key in sorted(keys) if key.startswith(prefix)]
        return [blob for blob in found if blob is not None]


def _discard(name: str) -> None:
    Path(name).unlink(missing_ok=True)


class S3Blobs(Blobs):
    """Objects in a bucket, by presigned URLs."""

    def __init__(self, client: Any, bucket: str, prefix: str) -> None:
        self._client = client
        self._bucket = bucket
        self._prefix = prefix

    def _place(self, key: str) -> dict[str, str]:
        return {"Bucket": self._bucket, "Key": f"{self._prefix}{key}"}

    def upload_url(self, key: str, content_type: str, size: int) -> str:
        place = {**self._place(key), "ContentType": content_type, "ContentLength": size}
        url: str = self._client.generate_presigned_url(
            "put_object", Params=place, ExpiresIn=UPLOAD_SECONDS
        )
        return url

    def read_url(self, key: str) -> str:
        url: str = self._client.generate_presigned_url(
            "get_object", Params=self._place(key), ExpiresIn=READ_SECONDS
        )
        return url

    async def find(self, key: str) -> Blob | None:
        try:
            head = await asyncio.to_thread(self._client.head_object, **self._place(key))
        except self._client.exceptions.ClientError as error:
            if error.response["ResponseMetadata"]["HTTPStatusCode"] == 404:
                return None
            raise
        return Blob(key, head["ContentType"], head["ContentLength"], head["LastModified"])

    async def write(self, key: str, content_type: str, content: bytes) -> None:
        place = self._place(key)
        await asyncio.to_thread(
            self._client.put_object, **place, Body=content, ContentType=content_type
        )

    async def read(self, key: str) -> bytes:
        def content() -> bytes:
            found: bytes = self._client.get_object(**self._place(key))["Body"].read()
            return found

        with self._missing_is_404():
            return await asyncio.to_thread(content)

    async def delete(self, key: str) -> None:
        await asyncio.to_thread(self._client.delete_object, **self._place(key))

    async def copy(self, key: str, to: str) -> None:
        with self._missing_is_404():
            await asyncio.to_thread(
                self._client.copy_object, CopySource=self._place(key), **self._place(to)
            )

    @contextmanager
    def _missing_is_404(self) -> Iterator[None]:
        try:
            yield
        except self._client.exceptions.ClientError as error:
            if error.response["ResponseMetadata"]["HTTPStatusCode"] == 404:
                raise Problem(404) from None
            raise

    async def under(self, prefix: str) -> list[Blob]:
        def read() -> list[Blob]:
            pages = self._client.get_paginator("list_objects_v2").paginate(
                Bucket=self._bucket, Prefix=f"{self._prefix}{prefix}"
            )
            return [
                Blob(one["Key"].removeprefix(self._prefix), "", one["Size"], one["LastModified"])
                for page in pages
                for one in page.get("Contents", [])
            ]

        found = await asyncio.to_thread(read)
        kinds = await asyncio.gather(*(self.find(blob.key) for blob in found))
        return [blob for blob in kinds if blob is not None]


def open_blobs(option: str, base_url: str, secret: bytes, clock: Clock) -> Blobs:
    """The place that an option names; raises BlobsUnusable."""
    parts = urlsplit(option)
    if parts.scheme == "file" and parts.path and not parts.netloc:
        return FolderBlobs(_folder(parts.path), base_url, secret, clock)
    if parts.scheme == "s3" and parts.netloc:
        from tablewright.web.aws import aws_client

        prefix = parse_qs(parts.query).get("prefix", [""])[0]
        return S3Blobs(aws_client("s3"), parts.netloc, prefix)
    raise BlobsUnusable(f"{option}: use file:FOLDER or s3://BUCKET?prefix=P")


def _folder(path: str) -> Path:
    folder = Path(unquote(path))
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise BlobsUnusable(f"{folder}: {error.strerror}") from error
    if not os.access(folder, os.W_OK):
        raise BlobsUnusable(f"{folder}: cannot be written to")
    return folder
