"""Settings of a studio: address, store and write access."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal, NamedTuple

from tablewright.errors import TablewrightError
from tablewright.explain.prices import DEFAULT_REGION, Price, load_prices, price_in
from tablewright.stores.urls import parse_url
from tablewright.web.server.server_settings import is_loopback

__all__ = ["Backend", "StudioRefused", "StudioSettings"]

_NAMES: Final = ("127.0.0.1", "localhost", "[::1]")
_HTTP_PORT: Final = 80


class StudioRefused(TablewrightError):
    """A studio cannot be started like this."""


class Backend(NamedTuple):
    """The store as the top bar names it. ``kind`` decides the colour of its chip."""

    kind: Literal["embedded", "endpoint", "aws"]
    text: str


@dataclass(frozen=True)
class StudioSettings:
    """The options of ``tablewright studio``."""

    host: str = "127.0.0.1"
    port: int = 8090
    store: str = "sqlite://:memory:"
    allows_writes: bool = False  # Also where the store is not embedded.
    region: str = ""  # Whose prices are shown; the store's own, if left out.
    path: str = ""  # Where it is mounted: "/studio" in a server, nothing alone.

    def __post_init__(self) -> None:
        """Raise StudioRefused for an address that others could reach."""
        if not is_loopback(self.host):
            raise StudioRefused(f"{self.host}: the studio listens on loopback addresses only")

    @property
    def backend(self) -> Backend:
        place = parse_url(self.store)
        if place.file is not None:
            is_memory = place.file.endswith(":memory:")
            return Backend("embedded", "in memory" if is_memory else self.store[10:])
        if place.endpoint is not None:
            return Backend("endpoint", place.endpoint)
        return Backend("aws", f"AWS {place.region}")

    @property
    def price(self) -> Price:
        """The prices that are shown; those of us-east-1 where no others are known."""
        region = self.region or parse_url(self.store).region or DEFAULT_REGION
        return load_prices().regions.get(region) or price_in()

    @property
    def may_write(self) -> bool:
        """Whether items can be changed: always in an embedded store, elsewhere when asked for."""
        return self.allows_writes or self.backend.kind == "embedded"

    @property
    def url(self) -> str:
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"http://{host}:{self.port}{self.path}/"

    @property
    def hosts(self) -> frozenset[str]:
        """What a Host header may say: another name means that a page of others is asking."""
        hosts = {f"{name}:{self.port}" for name in _NAMES}
        return frozenset(hosts | set(_NAMES) if self.port == _HTTP_PORT else hosts)
