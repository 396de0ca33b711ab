"""The OpenAPI description, put right where FastAPI cannot know: every refusal is JSON and has the one shape."""

from typing import Any, Final

from fastapi import FastAPI

_REFUSED: Final = {"application/json": {"schema": {"$ref": "#/components/schemas/ErrorResponse"}}}
_ALWAYS_READ: Final = "HTTPValidationError"
"""FastAPI's own shape, on routes whose words can always be read."""


def patch_openapi(app: FastAPI) -> None:
    """Have the application describe its answers as they are."""
    made = app.openapi

    def described() -> dict[str, Any]:
        if app.openapi_schema is None:
            for operation in _operations(made()):
                _put_right(operation["responses"])
            schemas = made()["components"]["schemas"]
            for name in (_ALWAYS_READ, "ValidationError"):
                schemas.pop(name, None)
        return made()

    app.openapi = described  # type: ignore[method-assign]


def _operations(schema: dict[str, Any]) -> list[dict[str, Any]]:
    return [operation for path in schema["paths"].values() for operation in path.values()]


def _put_right(responses: dict[str, Any]) -> None:
    for status, response in list(responses.items()):
        if _ALWAYS_READ in str(response):
            del responses[status]
        elif status >= "400":
            response["content"] = _REFUSED
