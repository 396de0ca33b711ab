"""Routes for operators: health and metrics."""

from collections.abc import Sequence
from ipaddress import IPv4Network, IPv6Network, ip_network
from typing import Final

from fastapi import APIRouter, Request
from fastapi.responses import PlainTextResponse

from leftbower.errors import NotFound
from leftbower.server.api.responses import Health
from leftbower.server.context import AppContext, Context
from leftbower.server.http.errors import error_responses
from leftbower.server.http.rate_limit import parse_address
from leftbower.server.observability import metrics

LOOPBACK: Final = "loopback"
OFF: Final = "off"
_PROXY_HEADERS: Final = ("forwarded", "x-forwarded-for", "x-real-ip", "via")
"""Headers that a proxy adds. Behind a proxy that is not trusted, the client address is unknown."""
router = APIRouter(tags=["operators"], responses=error_responses(429, 503))
Network = IPv4Network | IPv6Network


class MetricsAccess:
    """Who may read /metrics: loopback clients, no one, or clients in given networks."""

    def __init__(self, readers: str) -> None:
        self._loopback, off = readers == LOOPBACK, readers == OFF
        self._networks = () if self._loopback or off else parse_networks(readers)

    def allows(self, request: Request) -> bool:
        """May this client read them? A loopback client must also use a loopback host name, because a web page
        could reach the server under another name (DNS rebinding)."""
        client = parse_address(request.client.host) if request.client else None
        if client is None:
            return False
        if not self._loopback:
            return any(client in network for network in self._networks)
        hostname = request.url.hostname or ""
        host = parse_address(hostname)
        local = hostname == "localhost" or (host is not None and host.is_loopback)
        return client.is_loopback and local and not any(name in request.headers for name in _PROXY_HEADERS)


def parse_networks(text: str) -> Sequence[Network]:
    """Parse addresses or networks separated by commas; ValueError for the first that is neither."""
    return [ip_network(part.strip()) for part in text.split(",")]


@router.get("/healthz")
async def get_health(context: Context) -> Health:
    """200 if the store accepts writes, with the number of feeds and busy tables; 503 with the reason if not."""
    context.outage.check()
    await context.store.listings(limit=1)
    return Health(store="ok", feeds=len(context.feeds) + len(context.event_feeds), busy=context.tables.busy)


@router.get("/metrics", include_in_schema=False)
async def get_metrics(request: Request, context: Context) -> PlainTextResponse:
    """Metrics in Prometheus format; 404 for clients that may not read them."""
    access: MetricsAccess = request.app.state.metrics_access
    if not access.allows(request):
        raise NotFound("page not found")
    record_gauges(context)
    return PlainTextResponse(metrics.render_metrics(), media_type=metrics.MEDIA_TYPE)


def record_gauges(context: AppContext) -> None:
    """Update the gauges of this process."""
    metrics.FEEDS.set(len(context.feeds) + len(context.event_feeds))
    metrics.TABLES_CACHED.set(context.tables.cached_count)
    metrics.TABLES_BUSY.set(context.tables.busy)
    metrics.STORE_UP.set(context.outage.error is None)
    metrics.PROCESS.record()
