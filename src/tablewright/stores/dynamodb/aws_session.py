"""Who we are and where DynamoDB is, as the AWS SDK finds it: environment, profiles, roles.

The one file, beside the event loop's transport, that knows the SDK.
"""

from __future__ import annotations

from typing import Any, Final

from tablewright.errors import StoreUnavailable
from tablewright.stores.dynamodb.request_signing import Keys

__all__ = ["Access", "find_access"]

# DynamoDB Local and Alternator, unless told otherwise, take any.
_ANYONE: Final = Keys("local", "local", None)


class Access:
    """An endpoint, its region, and the credentials to sign with, renewed when they run out."""

    def __init__(
        self, url: str, region: str, credentials: Any | None, ca_file: str | None = None
    ) -> None:
        """``credentials`` are botocore's; None signs as nobody in particular."""
        self.url = url
        self.region = region
        self.ca_file = ca_file
        self._credentials = credentials

    def keys(self) -> Keys:
        """The keys of this moment; asks for new ones, over the network, if these run out."""
        if self._credentials is None:
            return _ANYONE
        access_key, secret_key, token, *_ = self._credentials.get_frozen_credentials()
        return Keys(access_key, secret_key, token)

    @property
    def must_renew(self) -> bool:
        """Whether `keys` would have to ask for new ones."""
        refresh_needed = getattr(self._credentials, "refresh_needed", None)
        return refresh_needed is not None and bool(refresh_needed())


def find_access(region: str | None = None, url: str | None = None) -> Access:
    """Access to a region's DynamoDB, or to the endpoint of a URL in place of it.

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
            raise StoreUnavailable("there are no AWS credentials: set a profile or a role")
        client = session.create_client("dynamodb", region_name=region)
        return Access(client.meta.endpoint_url, client.meta.region_name, credentials, ca_file)
    except BotoCoreError as error:
        raise StoreUnavailable(f"DynamoDB in {region}: {error}") from error
