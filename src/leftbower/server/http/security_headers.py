"""Security headers of every response.

A page may load what this server serves and nothing inline; other responses may load nothing. A page that needs more
gets it here and nowhere else.
"""

from typing import Final

Headers = list[tuple[bytes, bytes]]

DATA_POLICY: Final = "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
"""For JSON, text and feeds, also when one is opened in a window."""
PAGE_POLICY: Final = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; font-src 'self'; connect-src 'self'; "
    "manifest-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'"
)
"""For pages: resources of this host, nothing inline."""
_COMMON_HEADERS: Final = {
    "x-content-type-options": "nosniff",
    "referrer-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "cross-origin-opener-policy": "same-origin",
    "permissions-policy": "camera=(), microphone=(), geolocation=(), payment=(), usb=(), browsing-topics=()",
}
"""On all responses. The Referer is sent to this host only."""


def _headers(policy: str) -> Headers:
    return [
        (name.encode(), value.encode())
        for name, value in {**_COMMON_HEADERS, "content-security-policy": policy}.items()
    ]


_DATA_HEADERS: Final = _headers(DATA_POLICY)
_PAGE_HEADERS: Final = _headers(PAGE_POLICY)
_NO_STORE: Final = (b"cache-control", b"no-store")
HSTS: Final = (b"strict-transport-security", b"max-age=31536000")
"""HTTPS only for a year; sent when this process terminates TLS, as a proxy sends its own."""


def with_security_headers(headers: Headers, *, hsts: bool = False) -> Headers:
    """Add the security headers to those of a response, and `no-store` where it sets no Cache-Control."""
    content_type = cache_control = b""
    for name, value in headers:
        if name == b"content-type":
            content_type = value
        elif name == b"cache-control":
            cache_control = value
    ours = _PAGE_HEADERS if content_type.startswith(b"text/html") else _DATA_HEADERS
    tls = [HSTS] if hsts else []
    return [*headers, *ours, *tls] if cache_control else [*headers, *ours, *tls, _NO_STORE]
