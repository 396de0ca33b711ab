"""The socket that a server listens on: made once, and handed on where several processes serve."""

import os
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

from leftbower.errors import BadSettings
from leftbower.server.settings import Settings

_UNREAD: Final = 1 << 16
"""Bytes that the system keeps for a client that does not read; by itself it would keep megabytes for each feed."""
WAITING: Final = 4096
"""Connections that wait to be accepted."""


@contextmanager
def listening(settings: Settings) -> Iterator[socket.socket]:
    """A socket on which connections wait from now on, or BadSettings that says why it is not to be had."""
    with _socket(settings) as listener:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, _UNREAD)
        if os.name == "posix":
            listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            listener.bind((settings.host, settings.port))
            listener.listen(WAITING)
        except OSError as error:
            why = (error.strerror or str(error)).lower()
            says = f"port {settings.port} of {settings.host} is not to be had: {why}"
            raise BadSettings(says, place="port") from None
        yield listener


def handed_on(settings: Settings, number: int) -> socket.socket:
    """The same socket in another process, which knows it by this number."""
    return _socket(settings, number)


def _socket(settings: Settings, number: int | None = None) -> socket.socket:
    family = socket.AF_INET6 if ":" in settings.host else socket.AF_INET
    # Told that it is TCP, asyncio sends at once what is small; it does not guess.
    return socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP, number)
