"""Helpers of `leftbower serve`: a port check, a QR code in the terminal, opening a browser."""

import socket
from contextlib import closing
from threading import Thread


def is_taken(host: str, port: int) -> bool:
    """Is another process listening on this port?"""
    with closing(socket.socket(socket.AF_INET6 if ":" in host else socket.AF_INET, socket.SOCK_STREAM)) as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((host, port))
        except OSError:
            return True
    return False


def print_code(address: str) -> None:
    import segno

    segno.make(address, error="m").terminal(compact=True, border=2)


def open_browser(address: str) -> None:
    """Open a browser in the background, if there is one."""
    import webbrowser

    Thread(target=webbrowser.open, args=(address,), daemon=True, name="leftbower browser").start()
