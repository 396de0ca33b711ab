"""Single and double elimination: a bracket of matches, each fed by others, with byes for the best seeds.

A slot is one match. `W2-1` is the first match of the second winners' round, `L1-3` the third match of the first losers'
round, `third` the match for third place. `final` and `again` end a double elimination: the finalist from the losers'
side must win both.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache

from leftbower.tournament.model.seating import Pairings, team_seating

Seed = str | None
"""An entrant, or None for a bye."""


@dataclass(frozen=True, slots=True)
class _Open:
    """A slot's side that an earlier match will fill."""


_OPEN = _Open()
_Contender = str | None | _Open


@dataclass(slots=True)
class Bracket:
    """A bracket with the results so far; `winners` maps each played slot to its winner, "" if no side came."""

    seeds: tuple[str, ...]
    winners: Mapping[str, str]
    double: bool = False
    _players_by_slot: dict[str, tuple[_Contender, _Contender]] = field(default_factory=dict)

    @property
    def rounds(self) -> int:
        """Number of winners' rounds."""
        return max(1, (len(self.seeds) - 1).bit_length())

    def slots(self) -> list[str]:
        """All possible matches, in order of play."""
        slots = [f"W1-{match}" for match in self._matches(1)]
        for number in range(2, self.rounds + 1):
            slots += self._losers_rounds(number - 1)
            slots += [f"W{number}-{match}" for match in self._matches(number)]
        if self.double:
            return [*slots, *self._losers_rounds(self.rounds), "final", "again"]
        return [*slots[:-1], "third", slots[-1]] if len(self.seeds) > 3 else slots

    def _matches(self, number: int) -> range:
        return range(1, 2 ** (self.rounds - number) + 1)

    def _losers_rounds(self, number: int) -> list[str]:
        """The losers' matches between one winners' round and the next."""
        if not self.double or self.rounds == 1:
            return []
        first, second = 2 * number - 2, 2 * number - 1
        pairs = [f"L{first}-{match}" for match in range(1, 2 ** (self.rounds - number) + 1)] if number > 1 else []
        merged = (
            [f"L{second}-{match}" for match in range(1, 2 ** (self.rounds - number - 1) + 1)]
            if number < self.rounds
            else []
        )
        return pairs + merged

    def players(self, slot: str) -> tuple[_Contender, _Contender]:
        if slot not in self._players_by_slot:
            self._players_by_slot[slot] = self._feeders(slot)
        return self._players_by_slot[slot]

    def _feeders(self, slot: str) -> tuple[_Contender, _Contender]:
        if slot == "again":
            first, second = self.players("final")
            settled = self.winners.get("final")
            return (first, second) if settled is not None and settled == second else (None, None)
        feeders = self.feeders(slot)
        if not feeders:
            order, match = seeding(2**self.rounds), int(slot.split("-")[1])
            return self._seed(order[2 * match - 2]), self._seed(order[2 * match - 1])
        first, second = (self.loser(before) if lost else self.winner(before) for before, lost in feeders)
        return first, second

    def feeders(self, slot: str) -> tuple[tuple[str, bool], ...]:
        """The slots before both sides, and whether their loser comes here; none in the first winners' round."""
        last = self.rounds
        match slot:
            case "third":
                return (f"W{last - 1}-1", True), (f"W{last - 1}-2", True)
            case "final":
                return (f"W{last}-1", False), (("W1-1", True) if last == 1 else (f"L{2 * last - 2}-1", False))
            case "again":
                return ("final", False), ("final", True)
        number, match = map(int, slot[1:].split("-"))
        before = f"{slot[0]}{number - 1}-"
        if slot[0] == "W":
            return ((f"{before}{2 * match - 1}", False), (f"{before}{2 * match}", False)) if number > 1 else ()
        if number == 1:
            return (f"W1-{2 * match - 1}", True), (f"W1-{2 * match}", True)
        if number % 2:
            return (f"{before}{2 * match - 1}", False), (f"{before}{2 * match}", False)
        above = number // 2 + 1
        return (f"{before}{match}", False), (f"W{above}-{len(self._matches(above)) + 1 - match}", True)

    def _seed(self, number: int) -> Seed:
        return self.seeds[number - 1] if number <= len(self.seeds) else None

    def winner(self, slot: str) -> _Contender:
        """The entrant who advances from a slot; without an opponent, it advances unplayed."""
        first, second = self.players(slot)
        if isinstance(first, _Open) or isinstance(second, _Open):
            return _OPEN
        if first is None or second is None:
            return first or second
        winner = self.winners.get(slot, _OPEN)
        return None if winner == "" else winner

    def loser(self, slot: str) -> _Contender:
        first, second = self.players(slot)
        winner = self.winner(slot)
        if isinstance(winner, _Open):
            return _OPEN
        if first is None or second is None or winner is None:
            return None
        return second if winner == first else first

    def playable_matches(self) -> list[tuple[str, str, str]]:
        """Matches that can be played now: slot and both entrants."""
        matches = []
        for slot in self.slots():
            first, second = self.players(slot)
            if isinstance(first, str) and isinstance(second, str) and slot not in self.winners:
                matches.append((slot, first, second))
        return matches

    def progress(self) -> dict[str, int]:
        """How far each entrant got, higher is farther; those still in rank above all who are out."""
        slots = self.slots()
        depths = self._depths(slots)
        progress = dict.fromkeys(self.seeds, 2 * len(slots) + 2)
        for slot in slots:
            if slot in self.winners:
                progress.update(dict.fromkeys(self._beaten(slot), 2 * depths[slot]))
        if third_place := self.winners.get("third"):
            progress[third_place] += 1
        return progress

    def _beaten(self, slot: str) -> list[str]:
        """Entrants who go no farther than this slot. The match for third place ends the run of both."""
        second_chance = self.double and (slot[0] == "W" or (slot == "final" and self.players("again") != (None, None)))
        if second_chance and self.winners[slot]:
            return []
        winners = () if slot == "third" else (self.winners[slot],)
        return [player for player in self.players(slot) if isinstance(player, str) and player not in winners]

    def _depths(self, slots: Sequence[str]) -> dict[str, int]:
        """Depth by slot: equal for all losers of a round; semifinals get the depth of the match for third place."""
        rounds: dict[str, int] = {}
        for index, slot in enumerate(slots):
            rounds.setdefault(slot.split("-")[0], index)
        if "third" in rounds:
            rounds[f"W{self.rounds - 1}"] = rounds["third"]
        return {slot: rounds[slot.split("-")[0]] for slot in slots}


@cache
def seeding(size: int) -> tuple[int, ...]:
    """Seeds from the top of a bracket down: the best two meet last, and seed 1 meets the lowest seed of each round."""
    order = [1]
    while len(order) < size:
        order = [seed for better in order for seed in (better, 2 * len(order) + 1 - better)]
    return tuple(order)


def elimination_round(bracket: Bracket) -> Pairings:
    """All matches that can be played now. An entrant whose next match is not ready has a bye."""
    ready = bracket.playable_matches()
    busy = {player for _, *pair in ready for player in pair}
    to_come = _waiting_players(bracket)
    waiting = [player for player in bracket.seeds if player not in busy and player in to_come]
    tables = tuple(team_seating(table, first, pair, slot) for table, (slot, first, pair) in enumerate(ready, 1))
    return Pairings(tables=tables, byes=tuple(waiting))


def _waiting_players(bracket: Bracket) -> set[str]:
    """Entrants whose next match waits for another result."""
    matches = map(bracket.players, bracket.slots())
    half_open = (players for players in matches if any(isinstance(player, _Open) for player in players))
    return {player for players in half_open for player in players if isinstance(player, str)}
