"""The application factory: routes, error handlers and middleware around one `AppContext`."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from fastapi import FastAPI
from starlette.types import ASGIApp

from leftbower.server.api import accounts, matches, operations, people, tables
from leftbower.server.api.openapi import patch_openapi
from leftbower.server.api.operations import MetricsAccess
from leftbower.server.context import build_context
from leftbower.server.http.errors import install_error_handlers
from leftbower.server.http.middleware import BodyLimit, CrossSiteCheck, DetachedStreams, SecurityHeaders
from leftbower.store import Store


class Application(FastAPI):
    """FastAPI inside of our middlewares: its response to an unexpected exception passes them, too.

    Routes stand in one flat list, the busiest first. `include_router` would nest them and match twice: to find that
    of a phone's score took 96 µs instead of 36.
    """

    def build_middleware_stack(self) -> ASGIApp:
        return SecurityHeaders(CrossSiteCheck(BodyLimit(DetachedStreams(super().build_middleware_stack()))))


def create_app(store: Store, *, metrics: str = "loopback", **settings: Any) -> FastAPI:
    """Build the application that serves a store; `settings` go to `build_context`.

    `metrics` says who may read them: "loopback", "off", or networks.
    """
    context = build_context(store, **settings)

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        await context.open()
        try:
            yield
        finally:
            await context.close()

    routers = (tables.router, people.router, matches.router, accounts.router, operations.router)
    app = Application(
        title="leftbower",
        description="Tables of euchre: sit down, agree, play. Every answered action is durable.",
        version="1",
        lifespan=lifespan,
        docs_url=None,
        redoc_url=None,
        openapi_url="/api/openapi.json",
        telemetry={"tracing": False, "metrics": False, "logs": False},  # FastAPI looks for providers at each request
        routes=[route for router in routers for route in router.routes],
    )
    app.state.context = context
    app.state.own_tls = False
    """Does the server itself speak TLS, without a proxy? Then every response has HSTS."""
    app.state.metrics_access = MetricsAccess(metrics)
    install_error_handlers(app)
    patch_openapi(app)
    return app
