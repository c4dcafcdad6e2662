"""Finds credentials and the endpoint with the AWS SDK: environment, profiles, roles.

Only this module imports the SDK.
"""

from __future__ import annotations

from typing import Any, Final

from tablewright.errors import StoreUnavailable
from tablewright.stores.dynamodb.request_signing import Keys

__all__ = ["Access", "find_access"]

# DynamoDB Local and Alternator accept any keys by default.
_ANYONE: Final = Keys("local", "local", None)


class Access:
    """An endpoint, its region, and the credentials, which are refreshed when they expire."""

    def __init__(
        self, url: str, region: str, credentials: Any | None, ca_file: str | None = None
    ) -> None:
        """``credentials`` are botocore's; with None, requests are signed with dummy keys."""
        self.url = url
        self.region = region
        self.ca_file = ca_file
        self._credentials = credentials

    def keys(self) -> Keys:
        """The current keys; may refresh them over the network."""
        if self._credentials is None:
            return _ANYONE
        access_key, secret_key, token, *_ = self._credentials.get_frozen_credentials()
        return Keys(access_key, secret_key, token)

    @property
    def must_renew(self) -> bool:
        """Whether `keys` would refresh over the network."""
        refresh_needed = getattr(self._credentials, "refresh_needed", None)
        return refresh_needed is not None and bool(refresh_needed())


def find_access(region: str | None = None, url: str | None = None) -> Access:
    """Access to DynamoDB in a region, or to the endpoint at a URL.

    Raises StoreUnavailable if the SDK is missing or finds no credentials.
    """
    try:
        from botocore.exceptions import BotoCoreError
        from botocore.httpsession import get_cert_path
        from botocore.session import Session
    except ImportError as error:
        raise StoreUnavailable("DynamoDB needs the AWS SDK: install tablewright[aws]") from error
    session = Session()
    try:
        credentials = session.get_credentials()
        ca_file = session.get_config_variable("ca_bundle") or get_cert_path(True)
        if url is not None:
            return Access(url, region or "us-east-1", credentials, ca_file)
        if credentials is None:
            raise StoreUnavailable(
                "no AWS credentials found: set a profile, a role or AWS_ACCESS_KEY_ID"
            )
        client = session.create_client("dynamodb", region_name=region)
        return Access(client.meta.endpoint_url, client.meta.region_name, credentials, ca_file)
    except BotoCoreError as error:
        raise StoreUnavailable(f"DynamoDB in {region}: {error}") from error
