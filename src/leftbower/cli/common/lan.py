"""How people in the room find a server: by its address, by a code to point a phone at, by a browser that opens."""

import socket
from contextlib import closing
from threading import Thread


def is_taken(host: str, port: int) -> bool:
    """Is another process listening on this port?"""
    with closing(socket.socket(socket.AF_INET6 if ":" in host else socket.AF_INET, socket.SOCK_STREAM)) as trying:
        trying.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            trying.bind((host, port))
        except OSError:
            return True
    return False


def print_code(address: str) -> None:
    """The address as a code of blocks."""
    import segno

    segno.make(address, error="m").terminal(compact=True, border=2)


def open_browser(address: str) -> None:
    """Open a browser if there is one; otherwise the printed address has to do."""
    import webbrowser

    Thread(target=webbrowser.open, args=(address,), daemon=True, name="leftbower browser").start()
