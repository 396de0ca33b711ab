"""The smallest kind of log: a sum of numbers."""

from typing import NamedTuple

from leftbower.errors import UnknownTable
from leftbower.server.live.log_cache import LogType


class Sum(NamedTuple):
    version: int
    total: int


def add(state: Sum | None, amount: int, at: float) -> Sum:
    return Sum(1, amount) if state is None else Sum(state.version + 1, state.total + amount)


SUM_LOG: LogType[Sum, int] = LogType(
    unknown_message="there is no such sum",
    unknown=UnknownTable,
    prefix="sum-",
    apply=add,
    encode=lambda amount: {"fact": "added", "v": 1, "amount": amount},
    decode=lambda plain: int(plain["amount"]),
    listing=lambda state: {"total": state.total},
    may_expire=lambda state: True,
)
