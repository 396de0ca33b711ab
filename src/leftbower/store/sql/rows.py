"""Rows of listings as they are read by every store in SQL."""

from collections.abc import Sequence
from typing import Any, Final

from leftbower.store.accounts import Listing, from_ms
from leftbower.store.facts import parse_stored

LISTINGS: Final = "select log, seq, body, updated from listings"


def listing_of_row(row: Sequence[Any]) -> Listing:
    """The listing of a row of `LISTINGS`."""
    log, seq, body, updated = row
    return Listing(log=log, seq=seq, body=parse_stored(body, f"the listing of log {log}"), updated=from_ms(updated))
