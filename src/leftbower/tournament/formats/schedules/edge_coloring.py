"""Edge coloring: split the pairs that must meet into few rounds in which no team plays twice.

The minimum is the number of opponents of the busiest team, and one more round is always enough (Vizing). Start from
rounds known to fit; put each leftover pair into a round in which both teams are free. If there is none, exchange two
rounds along a Kempe chain; if no chain helps, add a round.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import pairwise, product
from typing import Final

Edge = tuple[int, int]
"""Indices of two teams, the lower one first."""
_MAX_CHAIN_TRIES: Final = 16


def matchings(edges: set[Edge], teams: int, seeds: Iterable[Sequence[Sequence[Edge]]]) -> list[list[Edge]]:
    """Split edges into rounds, fullest first; starts from the seed that leaves the fewest edges over."""
    degrees = Counter(team for edge in edges for team in edge)
    fewest = max(degrees.values(), default=0)
    candidates = [
        _fullest_rounds([[edge for edge in pairs if edge in edges] for pairs in seed], fewest) for seed in seeds
    ]
    best = max(candidates, key=lambda rounds: sum(map(len, rounds)), default=[])
    coloring = _Coloring(teams, fewest)
    for number, pairs in enumerate(best):
        for edge in pairs:
            coloring.assign(edge, number)
    for edge in sorted(edges - {edge for pairs in best for edge in pairs}):
        coloring.insert(edge)
    return sorted((pairs for pairs in coloring.rounds() if pairs), key=len, reverse=True)


def _fullest_rounds(rounds: Sequence[list[Edge]], count: int) -> list[list[Edge]]:
    """The fullest rounds, in their original order."""
    fullest = sorted(range(len(rounds)), key=lambda index: (-len(rounds[index]), index))[:count]
    return [rounds[index] for index in sorted(fullest)]


class _Coloring:
    """Opponents of each team by round, and the rounds in which a team is free."""

    def __init__(self, teams: int, rounds: int) -> None:
        self._opponents: list[dict[int, int]] = [{} for _ in range(teams)]
        self._free = [set(range(rounds)) for _ in range(teams)]
        self._count = rounds

    def assign(self, edge: Edge, number: int) -> None:
        first, second = edge
        self._opponents[first][number], self._opponents[second][number] = second, first
        self._free[first].discard(number)
        self._free[second].discard(number)

    def insert(self, edge: Edge) -> None:
        """Assign an edge to a round in which both teams are free or can be made free, else to a new round."""
        first, second = edge
        if common := self._free[first] & self._free[second]:
            self.assign(edge, min(common))
            return
        choices = product(sorted(self._free[first])[:4], sorted(self._free[second])[:4])
        for _, (ours, theirs) in zip(range(_MAX_CHAIN_TRIES), choices, strict=False):
            chain = self._chain(second, ours, theirs)
            if chain[-1] != first:
                self._exchange(chain, ours, theirs)
                self.assign(edge, ours)
                return
        for free in self._free:
            free.add(self._count)
        self.assign(edge, self._count)
        self._count += 1

    def _chain(self, start: int, first: int, second: int) -> list[int]:
        """Kempe chain: teams reached from `start` by its opponents, alternating between the two rounds."""
        chain = [start]
        number = first
        while (following := self._opponents[chain[-1]].get(number)) is not None:
            chain.append(following)
            number = second if number == first else first
        return chain

    def _exchange(self, chain: Sequence[int], first: int, second: int) -> None:
        """Move every match of a chain to the other of its two rounds."""
        for team in chain:
            for number in (first, second):
                self._opponents[team].pop(number, None)
                self._free[team].add(number)
        for index, edge in enumerate(pairwise(chain)):
            self.assign(edge, first if index % 2 else second)

    def rounds(self) -> list[list[Edge]]:
        rounds: list[list[Edge]] = [[] for _ in range(self._count)]
        for team, opponents in enumerate(self._opponents):
            for number, other in opponents.items():
                if team < other:
                    rounds[number].append((team, other))
        return rounds
