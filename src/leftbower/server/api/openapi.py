"""Patch the OpenAPI schema: every error response is an `ErrorResponse`, which FastAPI can't know."""

from typing import Any, Final

from fastapi import FastAPI

_ERROR_CONTENT: Final = {"application/json": {"schema": {"$ref": "#/components/schemas/ErrorResponse"}}}
_VALIDATION_ERROR: Final = "HTTPValidationError"
"""FastAPI's error schema, which no response uses."""


def patch_openapi(app: FastAPI) -> None:
    generate = app.openapi

    def patched() -> dict[str, Any]:
        if app.openapi_schema is None:
            for path in generate()["paths"].values():
                for operation in path.values():
                    _patch_responses(operation["responses"])
            schemas = generate()["components"]["schemas"]
            for name in (_VALIDATION_ERROR, "ValidationError"):
                schemas.pop(name, None)
        return generate()

    app.openapi = patched  # type: ignore[method-assign]


def _patch_responses(responses: dict[str, Any]) -> None:
    for status, response in list(responses.items()):
        if _VALIDATION_ERROR in str(response):
            del responses[status]
        elif status >= "400":
            response["content"] = _ERROR_CONTENT
