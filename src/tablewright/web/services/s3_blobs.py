"""Blobs in a bucket of S3. Clients are given presigned URLs; only pictures go through here."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from tablewright.web.http.problems import Problem
from tablewright.web.services.blobs import READ_SECONDS, UPLOAD_SECONDS, Blob, Blobs
from tablewright.web.services.signed_urls import SignedUrls

__all__ = ["S3Blobs"]


class S3Blobs(Blobs):
    """Objects in a bucket, by presigned URLs."""

    def __init__(self, client: Any, bucket: str, prefix: str, urls: SignedUrls) -> None:
        super().__init__(urls)
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
            body: bytes = self._client.get_object(**self._place(key))["Body"].read()
            return body

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
                raise Problem(404, detail="No such file.") from None
            raise

    async def under(self, prefix: str) -> list[Blob]:
        def read() -> list[Blob]:
            pages = self._client.get_paginator("list_objects_v2").paginate(
                Bucket=self._bucket, Prefix=f"{self._prefix}{prefix}"
            )
            return [
                Blob(
                    entry["Key"].removeprefix(self._prefix),
                    "",
                    entry["Size"],
                    entry["LastModified"],
                )
                for page in pages
                for entry in page.get("Contents", [])
            ]

        blobs = await asyncio.to_thread(read)
        kinds = await asyncio.gather(*(self.find(blob.key) for blob in blobs))
        return [blob for blob in kinds if blob is not None]
