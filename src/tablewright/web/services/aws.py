"""Clients of other AWS services, for stores of blobs and for mail."""

from __future__ import annotations

from typing import Any

from tablewright.errors import StoreUnavailable

__all__ = ["aws_client"]


def aws_client(service: str, region: str | None = None) -> Any:
    """A client of a service; raises StoreUnavailable if the SDK is missing or finds no region."""
    try:
        from botocore.config import Config
        from botocore.exceptions import BotoCoreError
        from botocore.session import Session
    except ImportError as error:
        raise StoreUnavailable(f"{service} needs the AWS SDK: install tablewright[aws]") from error
    try:
        # Presigned URLs of the older kind would leave type and size unsigned.
        config = Config(signature_version="s3v4") if service == "s3" else None
        return Session().create_client(service, region_name=region, config=config)
    except BotoCoreError as error:
        raise StoreUnavailable(f"{service}: {error}") from error
