"""The listening socket: opened once, inherited by workers."""

import os
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

from leftbower.errors import BadSettings
from leftbower.server.settings import Settings

_SEND_BUFFER_BYTES: Final = 1 << 16
"""Kernel send buffer per connection; the default would hold megabytes for each slow feed."""
BACKLOG: Final = 4096
"""Connections waiting to be accepted."""


@contextmanager
def open_listener(settings: Settings) -> Iterator[socket.socket]:
    """Open a listening socket, or raise BadSettings with the reason."""
    with _socket(settings) as listener:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, _SEND_BUFFER_BYTES)
        if os.name == "posix":
            listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            listener.bind((settings.host, settings.port))
            listener.listen(BACKLOG)
        except OSError as error:
            reason = (error.strerror or str(error)).lower()
            raise BadSettings(
                "can't listen on %(host)s:%(port)s: %(reason)s",
                path="port",
                host=settings.host,
                port=settings.port,
                reason=reason,
            ) from None
        yield listener


def inherit_listener(settings: Settings, descriptor: int) -> socket.socket:
    """The parent's socket, by its file descriptor."""
    return _socket(settings, descriptor)


def _socket(settings: Settings, descriptor: int | None = None) -> socket.socket:
    family = socket.AF_INET6 if ":" in settings.host else socket.AF_INET
    # asyncio sets TCP_NODELAY only if the protocol is given explicitly.
    return socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP, descriptor)
