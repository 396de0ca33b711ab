"""How long a server waits for a client: for a request to arrive whole, and for an answer or a feed to be taken."""

import asyncio

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol


class Patient(HttpToolsProtocol):
    """A connection that is ended when its client takes too long over a request, or reads nothing of what is sent."""

    patience = 20.0
    """Seconds."""
    _receiving: asyncio.TimerHandle | None = None
    _sending: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Somebody is there, and has something to ask."""
        super().connection_made(transport)
        self._receiving = self._in_a_while()

    def connection_lost(self, exc: Exception | None) -> None:
        """They have gone."""
        self._received()
        self._sent()
        super().connection_lost(exc)

    def on_message_begin(self) -> None:
        """The first byte of a request."""
        super().on_message_begin()
        self._received()
        self._receiving = self._in_a_while()

    def on_message_complete(self) -> None:
        """The last byte of it."""
        self._received()
        super().on_message_complete()

    def pause_writing(self) -> None:
        """More is to be sent than the client takes."""
        super().pause_writing()
        self._sending = self._in_a_while()

    def resume_writing(self) -> None:
        """It has taken some."""
        self._sent()
        super().resume_writing()

    def _in_a_while(self) -> asyncio.TimerHandle:
        return self.loop.call_later(self.patience, self.transport.abort)

    def _received(self) -> None:
        if self._receiving:
            self._receiving.cancel()

    def _sent(self) -> None:
        if self._sending:
            self._sending.cancel()
