"""Ratings of people and pairs by openskill, from the matches of a season's evenings; optional.

A rating is a strength with an error. openskill takes partners as independent, and so its error shrinks even if two
people only ever play together, when nobody can tell which of them is strong. The error shown adds what remains unknown
then: the variance of the difference of two partners, in proportion to how much one partner sat across.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from math import sqrt
from typing import TYPE_CHECKING, Final

from leftbower.errors import MissingExtra
from leftbower.tournament.scoring.results import RoundResult, table_results
from leftbower.tournament.season.facts import Identity
from leftbower.tournament.season.results import sittings
from leftbower.tournament.season.view import SeasonView

if TYPE_CHECKING:
    from openskill.models import PlackettLuce, PlackettLuceRating

Side = tuple[str, ...]
"""The people of a side; an empty name is a stranger: a bot, or a person who isn't rated."""
_CENTER: Final = 1500
_POINTS_PER_UNIT: Final = 24
"""openskill's scale is 25 ± 8.33; ours is 1500 ± 200."""
_SIGNIFICANT: Final = 2
"""Standard errors below the rating by which lists are sorted, so that a few lucky games don't lead them."""
MIN_MATCHES: Final = 5
"""Matches before a rating is shown."""
MAX_MATCHES_WITH_PARTNER = 5
"""Matches with the same partner that count for a person; the pair's own rating counts all."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RatedMatch:
    sides: tuple[Side, ...]
    winner: int | None
    """None for a tie."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RatingLine:
    """A person or a pair."""

    players: Side
    matches: int
    rating: int
    error: int
    """One standard error."""

    @property
    def safe_rating(self) -> int:
        """The rating that the player very likely has at least."""
        return self.rating - _SIGNIFICANT * self.error


def season_matches(view: SeasonView) -> Iterator[RatedMatch]:
    """The matches of evenings, then of live tables; people who opted out or aren't confirmed are strangers."""
    for evening in view.season.evenings:
        event = view.events.get(evening.event)
        identities = view.identities[evening.event]
        for round_ in event.rounds if event is not None else ():
            assert event is not None
            for seating in round_.tables:
                results = table_results(event, round_.number, seating)
                if not {*results} <= {RoundResult.WIN, RoundResult.LOSS, RoundResult.LEVEL}:
                    continue
                sides = []
                for side in range(len(results)):
                    people = [
                        _rated_player(view, identities.get(sitting))
                        for sitting, _ in sittings(event, round_, seating, side, teams=view.season.plan.teams)
                    ]
                    size = len(seating.sides[side])
                    sides.append((*people, *[""] * size)[:size])
                winner = results.index(RoundResult.WIN) if RoundResult.WIN in results else None
                yield RatedMatch(sides=tuple(sides), winner=winner)
    for added in view.season.tables:
        identities = view.identities[added.event]
        for match in view.live[added.event].matches if added.event in view.live else ():
            seated = tuple(tuple(_rated_player(view, identities.get(chair)) for chair in side) for side in match.sides)
            yield RatedMatch(sides=seated, winner=match.winner)


def _rated_player(view: SeasonView, identity: Identity | None) -> str:
    """The player to rate; empty for a stranger."""
    return identity.player if identity is not None and view.season.players[identity.player].rated else ""


def rate_people(matches: Iterable[RatedMatch]) -> tuple[RatingLine, ...]:
    """Ratings of single people, the safest first."""
    return _rate(list(matches))


def rate_pairs(matches: Iterable[RatedMatch]) -> tuple[RatingLine, ...]:
    """Ratings of pairs, each as one contestant; matches with a stranger are left out."""
    pairs = [
        RatedMatch(sides=tuple((" ".join(sorted(side)),) for side in match.sides), winner=match.winner)
        for match in matches
        if all(len(side) == 2 and all(side) for side in match.sides)
    ]
    return tuple(replace(line, players=tuple(line.players[0].split(" "))) for line in _rate(pairs))


@dataclass(slots=True)
class _Own:
    """What a person's own rating gained, and whom they played with."""

    gain: float = 0.0
    shrink: float = 1.0
    partners: Counter[str] = field(default_factory=Counter)

    @property
    def concentration(self) -> float:
        """1 if it was always the same partner, near 0 if they changed: the sum of the squared shares."""
        total = self.partners.total()
        return sum((count / total) ** 2 for count in self.partners.values()) if total else 0.0


def _rate(matches: Sequence[RatedMatch]) -> tuple[RatingLine, ...]:
    model = _model()
    ratings: dict[str, PlackettLuceRating] = {}
    people: dict[str, _Own] = {}
    played: Counter[str] = Counter()
    for match in matches:
        teams = [[ratings.get(person) or model.rating() for person in side] for side in match.sides]
        ranks = [0.0 if match.winner in (None, side) else 1.0 for side in range(len(teams))]
        after = model.rate(teams, ranks=ranks)
        for side, olds, news in zip(match.sides, teams, after, strict=True):
            for index, person in enumerate(side):
                if person:
                    ratings[person] = news[index]
                    played[person] += 1
                    own = people.setdefault(person, _Own())
                    partner = " ".join((*side[:index], *side[index + 1 :]))
                    own.partners[partner] += len(side) > 1
                    if own.partners[partner] <= MAX_MATCHES_WITH_PARTNER:
                        own.gain += news[index].mu - olds[index].mu
                        own.shrink *= news[index].sigma / olds[index].sigma
    return tuple(
        sorted(
            (
                RatingLine(
                    players=(person,),
                    matches=played[person],
                    rating=round(_CENTER + _POINTS_PER_UNIT * own.gain),
                    error=round(_POINTS_PER_UNIT * model.sigma * sqrt(own.shrink**2 + own.concentration / 2)),
                )
                for person, own in people.items()
            ),
            key=lambda line: (-line.safe_rating, line.players),
        )
    )


def _model() -> "PlackettLuce":
    try:
        from openskill.models import PlackettLuce  # noqa: PLC0415 - an extra
    except ImportError:
        raise MissingExtra("ratings") from None
    return PlackettLuce()
