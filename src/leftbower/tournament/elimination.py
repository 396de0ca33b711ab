"""Single and double elimination: a bracket of matches, each fed by others, with byes for the best seeds.

A slot is one match. `W2-1` is the first match of the second winners' round, `L1-3` the third of the first losers' one,
`third` is for the third place, `final` and `again` end a double elimination: who comes up from the losers' side must
win both.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache

from leftbower.tournament.seating import Draw, face_to_face

Who = str | None
"""An entrant; None where nobody is: a bye."""


@dataclass(frozen=True, slots=True)
class _Open:
    """A place that somebody will take when an earlier match is over."""


_OPEN = _Open()
_Place = str | None | _Open


@dataclass(slots=True)
class Bracket:
    """A bracket with the results so far; `won` names the winner of each slot that was played, "" where nobody came."""

    seeds: tuple[str, ...]
    won: Mapping[str, str]
    double: bool = False
    _seen: dict[str, tuple[_Place, _Place]] = field(default_factory=dict)

    @property
    def rounds(self) -> int:
        """How many winners' rounds there are."""
        return max(1, (len(self.seeds) - 1).bit_length())

    def slots(self) -> list[str]:
        """Every match there can be, in the order in which they are played."""
        found = [f"W1-{at}" for at in self._matches(1)]
        for number in range(2, self.rounds + 1):
            found += self._losers_rounds(number - 1)
            found += [f"W{number}-{at}" for at in self._matches(number)]
        if self.double:
            return [*found, *self._losers_rounds(self.rounds), "final", "again"]
        return [*found[:-1], "third", found[-1]] if len(self.seeds) > 3 else found

    def _matches(self, number: int) -> range:
        return range(1, 2 ** (self.rounds - number) + 1)

    def _losers_rounds(self, number: int) -> list[str]:
        """The losers' matches between one winners' round and the next."""
        if not self.double or self.rounds == 1:
            return []
        first, second = 2 * number - 2, 2 * number - 1
        pairs = [f"L{first}-{at}" for at in range(1, 2 ** (self.rounds - number) + 1)] if number > 1 else []
        again = (
            [f"L{second}-{at}" for at in range(1, 2 ** (self.rounds - number - 1) + 1)] if number < self.rounds else []
        )
        return pairs + again

    def players(self, slot: str) -> tuple[_Place, _Place]:
        """Who meets in a slot."""
        if slot not in self._seen:
            self._seen[slot] = self._fed(slot)
        return self._seen[slot]

    def _fed(self, slot: str) -> tuple[_Place, _Place]:
        last = f"W{self.rounds}-1"
        match slot:
            case "third":
                return self.loser(f"W{self.rounds - 1}-1"), self.loser(f"W{self.rounds - 1}-2")
            case "final":
                return self.winner(last), self._from_below()
            case "again":
                first, second = self.players("final")
                settled = self.won.get("final")
                return (first, second) if settled is not None and settled == second else (None, None)
        number, at = map(int, slot[1:].split("-"))
        return self._fed_above(number, at) if slot[0] == "W" else self._fed_below(number, at)

    def _from_below(self) -> _Place:
        return self.loser("W1-1") if self.rounds == 1 else self.winner(f"L{2 * self.rounds - 2}-1")

    def _fed_above(self, number: int, at: int) -> tuple[_Place, _Place]:
        if number > 1:
            return self.winner(f"W{number - 1}-{2 * at - 1}"), self.winner(f"W{number - 1}-{2 * at}")
        order = seeding(2**self.rounds)
        return self._seed(order[2 * at - 2]), self._seed(order[2 * at - 1])

    def _seed(self, number: int) -> Who:
        return self.seeds[number - 1] if number <= len(self.seeds) else None

    def _fed_below(self, number: int, at: int) -> tuple[_Place, _Place]:
        """Odd rounds join two from the losers' side; even ones take in who has just lost above, from the other end."""
        if number == 1:
            return self.loser(f"W1-{2 * at - 1}"), self.loser(f"W1-{2 * at}")
        if number % 2:
            return self.winner(f"L{number - 1}-{2 * at - 1}"), self.winner(f"L{number - 1}-{2 * at}")
        above = number // 2 + 1
        count = len(self._matches(above))
        return self.winner(f"L{number - 1}-{at}"), self.loser(f"W{above}-{count + 1 - at}")

    def winner(self, slot: str) -> _Place:
        """Who goes on from a slot; without an opponent nobody has to play for it."""
        one, two = self.players(slot)
        if isinstance(one, _Open) or isinstance(two, _Open):
            return _OPEN
        if one is None or two is None:
            return one or two
        got = self.won.get(slot, _OPEN)
        return None if got == "" else got

    def loser(self, slot: str) -> _Place:
        """Who falls out of a slot."""
        one, two = self.players(slot)
        gone = self.winner(slot)
        if isinstance(gone, _Open):
            return _OPEN
        if one is None or two is None or gone is None:
            return None
        return two if gone == one else one

    def ready(self) -> list[tuple[str, str, str]]:
        """Every match that can be played now: its slot and the two who meet."""
        found = []
        for slot in self.slots():
            one, two = self.players(slot)
            if isinstance(one, str) and isinstance(two, str) and slot not in self.won:
                found.append((slot, one, two))
        return found

    def places(self) -> dict[str, int]:
        """How far everybody came: the higher the further; who is still in stands above all who are out."""
        slots = self.slots()
        depths = self._depths(slots)
        far = dict.fromkeys(self.seeds, 2 * len(slots) + 2)
        for slot in slots:
            if slot in self.won:
                far.update(dict.fromkeys(self._beaten(slot), 2 * depths[slot]))
        if won := self.won.get("third"):
            far[won] += 1
        return far

    def _beaten(self, slot: str) -> list[str]:
        """Who goes no further than this slot; who loses a semi-final, or wins the third place, is known by `third`."""
        second_chance = self.double and (slot[0] == "W" or (slot == "final" and self.players("again") != (None, None)))
        if second_chance and self.won[slot]:
            return []
        keeps = () if slot == "third" else (self.won[slot],)
        return [who for who in self.players(slot) if isinstance(who, str) and who not in keeps]

    def _depths(self, slots: Sequence[str]) -> dict[str, int]:
        """All who lose in one round came equally far; semi-finals lead to the match for the third place."""
        rounds: dict[str, int] = {}
        for index, slot in enumerate(slots):
            rounds.setdefault(slot.split("-")[0], index)
        if "third" in rounds:
            rounds[f"W{self.rounds - 1}"] = rounds["third"]
        return {slot: rounds[slot.split("-")[0]] for slot in slots}


@cache
def seeding(size: int) -> tuple[int, ...]:
    """Seeds from the top of a bracket down: the best two meet last, 1 against the last of each round."""
    order = [1]
    while len(order) < size:
        order = [seed for one in order for seed in (one, 2 * len(order) + 1 - one)]
    return tuple(order)


def elimination_round(bracket: Bracket) -> Draw:
    """All matches that can be played now; whoever has one to come that cannot be played yet has a bye."""
    ready = bracket.ready()
    busy = {who for _, *two in ready for who in two}
    to_come = _to_come(bracket)
    waiting = [who for who in bracket.seeds if who not in busy and who in to_come]
    tables = tuple(face_to_face(at, one, two, slot) for at, (slot, one, two) in enumerate(ready, 1))
    return Draw(tables=tables, byes=tuple(waiting))


def _to_come(bracket: Bracket) -> set[str]:
    """Everybody with a match still to come that cannot be played yet."""
    matches = map(bracket.players, bracket.slots())
    half_open = (places for places in matches if any(isinstance(place, _Open) for place in places))
    return {place for places in half_open for place in places if isinstance(place, str)}
