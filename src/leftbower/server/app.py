"""The application factory: routes, error handlers and middleware around one `AppContext`."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from fastapi import FastAPI

from leftbower.server.api import accounts, matches, operations, people, tables
from leftbower.server.api.openapi import patch_openapi
from leftbower.server.api.operations import MetricsAccess
from leftbower.server.context import build_context
from leftbower.server.http.errors import install_error_handlers
from leftbower.server.http.fast_path import FastPath
from leftbower.server.http.middleware import MiddlewareApp
from leftbower.store import Store


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

    app = MiddlewareApp(
        check_writable=context.outage.check,
        title="leftbower",
        description="Tables of euchre: sit down, agree, play. Every answered action is durable.",
        version="1",
        lifespan=lifespan,
        docs_url=None,
        redoc_url=None,
        openapi_url="/api/openapi.json",
    )
    app.state.context = context
    app.state.metrics_access = MetricsAccess(metrics)
    install_error_handlers(app)
    app.include_router(tables.fast_router)
    app.include_router(people.router)
    app.include_router(tables.router)
    app.include_router(matches.router)
    app.include_router(accounts.router)
    app.include_router(operations.router)
    patch_openapi(app)
    app.fast_path = FastPath.of(tables.fast_router)
    return app
