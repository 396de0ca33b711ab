"""Byes shared evenly: after rounds are drawn, those who sit out twice change places with those who never do."""

from collections import Counter
from collections.abc import Iterator, Sequence

from leftbower.tournament.formats.meetings import Meetings, add_round, meetings
from leftbower.tournament.model.seating import Pairings, player_pairings

_Swap = tuple[tuple[int, int], int, str, str]
"""Its cost, the index of a round, who plays there instead, and who sits out instead."""


def share_byes(rounds: Sequence[Pairings], players: Sequence[str], earlier: Meetings) -> tuple[Pairings, ...]:
    """The same rounds of single players, with byes that differ by at most one, counting the rounds missed before.

    Each change is the one that repeats the fewest partners, then the fewest opponents.
    """
    drawn = list(rounds)
    sat_out = Counter({player: earlier.sat_out(player) for player in players})
    sat_out.update(player for pairings in drawn for player in pairings.byes)
    met = meetings([*drawn], base=earlier)
    while swap := min(_swaps(drawn, sat_out, met), default=None):
        _, index, plays, rests = swap
        add_round(met, drawn[index], -1)
        drawn[index] = _exchanged(drawn[index], plays, rests)
        add_round(met, drawn[index], 1)
        sat_out[plays] -= 1
        sat_out[rests] += 1
    return tuple(drawn)


def _swaps(drawn: Sequence[Pairings], sat_out: Counter[str], met: Meetings) -> Iterator[_Swap]:
    """Exchanges of a player with a bye for one with at least two byes less."""
    fewest, most = min(sat_out.values(), default=0), max(sat_out.values(), default=0)
    for index, pairings in enumerate(drawn):
        for plays in pairings.byes if most - fewest > 1 else ():
            for rests in (entrant for seating in pairings.tables for entrant in seating.entrants):
                wanted = sat_out[plays] - sat_out[rests]
                if wanted > 1 and (sat_out[plays] == most or sat_out[rests] == fewest):
                    yield _cost(pairings, plays, rests, met), index, plays, rests


def _cost(pairings: Pairings, plays: str, rests: str, met: Meetings) -> tuple[int, int]:
    """Partners and third meetings that repeat if `plays` sits down in the chair of `rests`."""
    seating = next(seating for seating in pairings.tables if rests in seating.entrants)
    partners = [pair for pair in seating.partners() if rests in pair]
    opponents = [pair for pair in seating.opponents() if rests in pair]
    return (
        sum(met.partners[pair - {rests} | {plays}] > 0 for pair in partners),
        sum(met.opponents[pair - {rests} | {plays}] > 1 for pair in opponents),
    )


def _exchanged(pairings: Pairings, plays: str, rests: str) -> Pairings:
    other = {plays: rests, rests: plays}
    tables = ([other.get(player, player) for player in seating.seats.values()] for seating in pairings.tables)
    return player_pairings(tables, (other.get(player, player) for player in pairings.byes))
