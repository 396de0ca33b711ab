"""The headers of every answer, by which browsers are told to trust nothing that we did not mean.

A page may load what we serve and nothing else, and no answer holds a script or a style within itself. What is not a
page may load nothing at all. Should a page need more, this is the one place to say so.
"""

from typing import Final

Headers = list[tuple[bytes, bytes]]

DATA_POLICY: Final = "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
"""For JSON, text and feeds: they are data, even where somebody opens them in a window."""
PAGE_POLICY: Final = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; font-src 'self'; connect-src 'self'; "
    "manifest-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'"
)
"""For pages: from this very host, and nothing inline."""
_COMMON_HEADERS: Final = {
    "x-content-type-options": "nosniff",
    "referrer-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "cross-origin-opener-policy": "same-origin",
    "permissions-policy": "camera=(), microphone=(), geolocation=(), payment=(), usb=(), browsing-topics=()",
}
"""Pages of ours tell us that they ask, and tell nobody else."""


def _headers(policy: str) -> Headers:
    return [
        (name.encode(), value.encode())
        for name, value in {**_COMMON_HEADERS, "content-security-policy": policy}.items()
    ]


_DATA_HEADERS: Final = _headers(DATA_POLICY)
_PAGE_HEADERS: Final = _headers(PAGE_POLICY)
_NO_STORE: Final = (b"cache-control", b"no-store")
HSTS: Final = (b"strict-transport-security", b"max-age=31536000")
"""For a year browsers ask this host by HTTPS only; sent where TLS is ours, as a proxy sends its own."""


def with_security_headers(headers: Headers, *, hsts: bool = False) -> Headers:
    """The headers of an answer, and ours, with HSTS under our own TLS.

    What shows somebody's cards is kept by nobody, unless it says otherwise.
    """
    kind = keeps = b""
    for name, value in headers:
        if name == b"content-type":
            kind = value
        elif name == b"cache-control":
            keeps = value
    ours = _PAGE_HEADERS if kind.startswith(b"text/html") else _DATA_HEADERS
    more = [HSTS] if hsts else []
    return [*headers, *ours, *more] if keeps else [*headers, *ours, *more, _NO_STORE]
