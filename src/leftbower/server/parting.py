"""How a server that was told to stop parts from its clients: what they have asked is answered, and they are told."""

from typing import Any, Final

from leftbower.server.patience import Patient

CLOSE: Final = (b"connection", b"close")
"""Said with an answer: it is the last one on this connection."""


class Parting(Patient):
    """A connection that ends with the answer that is being made, or a little later where there is none."""

    linger = 0.5
    """Seconds in which a request may still come that was on its way when the server was told to stop."""

    def shutdown(self) -> None:
        """The server stops. Hanging up at once would lose what a client is just sending, so it has a moment for it."""
        if self._is_asked():
            super().shutdown()
        else:
            self.loop.call_later(self.linger, self._leave)

    def _leave(self) -> None:
        if not self._is_asked():
            self.transport.close()

    def _is_asked(self) -> bool:
        cycle: Any = self.cycle  # None before the first request
        return cycle is not None and not cycle.response_complete
