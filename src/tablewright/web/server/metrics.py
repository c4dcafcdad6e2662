"""``GET /metrics``: what the server does, in the format of Prometheus.

Only where it is asked for (``--metrics``), and with prometheus-client installed. Labels are route
templates and statuses, so their number is bounded and they identify no person.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from fastapi import APIRouter
from fastapi.responses import Response

from tablewright.stores.async_store import AsyncStore
from tablewright.stores.embedded.embedded_store import AsyncEmbeddedStore
from tablewright.web.server.server_settings import SettingsInvalid

__all__ = ["Metrics", "metrics_routes"]

BUCKETS: Final = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 5.0)


class Metrics:
    """Counts the requests of one server; raises SettingsInvalid without prometheus-client."""

    def __init__(self, store: AsyncStore) -> None:
        try:
            import prometheus_client as prometheus
        except ImportError:
            raise SettingsInvalid(
                "--metrics needs prometheus-client: pip install 'tablewright[metrics]'"
            ) from None
        self._prometheus = prometheus
        self._registry = prometheus.CollectorRegistry()
        self._seconds = prometheus.Histogram(
            "tablewright_request_seconds",
            "Time to answer a request, by route and status.",
            ("method", "route", "status"),
            buckets=BUCKETS,
            registry=self._registry,
        )
        prometheus.ProcessCollector(registry=self._registry)
        if isinstance(store, AsyncEmbeddedStore):
            self._registry.register(_StoreCollector(store))

    def observe(self, method: str, route: str, status: int, seconds: float) -> None:
        self._seconds.labels(method, route, status).observe(seconds)

    def page(self) -> bytes:
        """Everything there is, as text."""
        text: bytes = self._prometheus.generate_latest(self._registry)
        return text

    @property
    def content_type(self) -> str:
        name: str = self._prometheus.CONTENT_TYPE_LATEST
        return name


class _StoreCollector:
    """What the embedded store says of itself when it is asked."""

    def __init__(self, store: AsyncEmbeddedStore) -> None:
        self._database = store.database

    def collect(self) -> Iterator[Any]:
        from prometheus_client.core import GaugeMetricFamily

        health = self._database.health()
        figures = {
            "tablewright_store_writable": (
                "1 if the store can be written, else 0.",
                float(health.is_writable),
            ),
            "tablewright_store_wal_bytes": (
                "Bytes in the log that are not in the database file yet.",
                health.wal_bytes,
            ),
            "tablewright_store_seconds_since_commit": (
                "Seconds since a commit last reached the disk; -1 before the first.",
                -1.0 if health.seconds_since_commit is None else health.seconds_since_commit,
            ),
        }
        for name, (text, value) in figures.items():
            yield GaugeMetricFamily(name, text, value=value)


def metrics_routes(metrics: Metrics) -> APIRouter:
    router = APIRouter()

    @router.get("/metrics")
    def page() -> Response:  # On a thread: it asks the store.
        return Response(metrics.page(), media_type=metrics.content_type)

    return router
