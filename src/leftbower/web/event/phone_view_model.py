"""View model of the phone of one side of a table: its match, its buttons, and what its script needs offline."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import Final

from leftbower.i18n import gettext as _, gettext_noop
from leftbower.tournament.hall.score_buttons import HandEnding, ScoreButton, describe_hand, score_buttons
from leftbower.tournament.hall.state import MatchTally, is_game_over, is_match_over
from leftbower.tournament.model.roles import Role
from leftbower.tournament.model.seating import Round, Seating
from leftbower.tournament.model.state import Event
from leftbower.tournament.scoring.scores import Played, game_scores, hand_results
from leftbower.tournament.scoring.standings import join_names
from leftbower.tournament.text.display import format_score, seat_names
from leftbower.web.event.view_models import PLAYING, UPCOMING, running_score, table_row


@dataclass(frozen=True, slots=True, kw_only=True)
class HandRow:
    """A reported hand, or an entry between hands."""

    text: str
    number: int
    """Number of the hand in its game; 0 for other entries, such as a warning."""


@dataclass(frozen=True, slots=True, kw_only=True)
class GameViewModel:
    """The reported part of a game."""

    points: tuple[int, ...]
    hands: tuple[HandRow, ...]
    is_over: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class PhoneViewModel:
    """The phone page of one side of a table."""

    table: int
    side: str
    round: int
    rounds: int
    version: int
    sides: tuple[tuple[int, str], ...]
    """Index and players of each side, our own first."""
    labels: tuple[str, ...]
    side_index: int
    chairs: str
    """Where our players sit."""
    state: str
    keeps_score: bool
    """Is this side the scorer, or may it become the scorer?"""
    scorer: str
    """The names of the side that keeps score."""
    score: str
    """Our points first."""
    games: tuple[GameViewModel, ...] = ()
    points: tuple[int, ...] = ()
    """Points of each side as reported or ruled, else from the hands; of the current or last game."""
    games_won: tuple[int, ...] = ()
    hand_count: int = 0
    """How many hands and penalties are reported."""
    target: int = 0
    """Points that win a game; 0 for a game with a fixed number of hands."""
    win_by: int = 1
    fixed_hands: int = 0
    best_of: int = 1
    ours: tuple[ScoreButton, ...] = ()
    theirs: tuple[ScoreButton, ...] = ()
    passed_out: tuple[ScoreButton, ...] = ()
    is_over: bool = False
    """Is the match over, so that its score can be reported?"""
    is_reported_by_us: bool = False
    """Did this side report the score?"""
    dispute_reason: str = ""
    director_called: bool = False
    paused: bool = False
    closed: bool = False
    side_count: int = 2
    """How many sides, so how many numbers in each total."""
    seats: tuple[tuple[str, str], ...] = ()
    previous_result: str = ""
    singles: bool = False

    @property
    def is_scoring(self) -> bool:
        """Can this phone report a hand now?"""
        return self.state == PLAYING and self.keeps_score and not (self.is_over or self.paused or self.closed)

    def button_text(self, button: ScoreButton) -> str:
        """Names who was euchred, in singles the lone maker, and the maker if three play."""
        maker = dict(self.seats)[button.hand[0]]
        if self.side_count > 2:
            # Translators: the maker and how the hand ended, as in "Ann: made it"
            return _("%(maker)s: %(ending)s", maker=maker, ending=button.ending.text)
        if button.euchre:
            return _((THEY_WERE if button.side == self.side_index else WE_WERE)[button.ending])
        if button.seat and self.singles:
            # Translators: how the hand ended and the maker, as in "alone, all five: Ann"
            return _("%(ending)s: %(maker)s", ending=button.ending.text, maker=maker)
        return button.ending.text


THEY_WERE: Final = {
    HandEnding.EUCHRED: gettext_noop("they got euchred"),
    HandEnding.EUCHRED_ALONE: gettext_noop("they got euchred alone"),
    HandEnding.EUCHRED_BY_LONE_DEFENDER: gettext_noop("one of us euchred them alone"),
}
WE_WERE: Final = {
    HandEnding.EUCHRED: gettext_noop("we got euchred"),
    HandEnding.EUCHRED_ALONE: gettext_noop("we got euchred alone"),
    HandEnding.EUCHRED_BY_LONE_DEFENDER: gettext_noop("one of them euchred us alone"),
}


def phone_view_model(event: Event, role: Role) -> PhoneViewModel | None:
    """For this table's first round without a score, or else its last; None before a draw."""
    round_ = _current_round(event, role)
    if round_ is None:
        return None
    seating = round_.seating_at(role.number)
    assert seating is not None
    rules, best_of, table_key = (
        event.rules_of(seating),
        event.best_of_at(round_.number, seating),
        (round_.number, role.number),
    )
    row, tally = table_row(event, round_, seating), event.hall.tallies.get(table_key)
    score_state = event.score_states.get(table_key)
    side_index = seating.labels.index(role.subject)
    is_over = tally is not None and is_match_over(rules, best_of, tally.games)
    buttons = score_buttons(event, seating)
    sitting = seat_names(event, round_.number, seating)
    games = tuple(_game_view_models(event, seating, tally, best_of, sitting, row.sides))
    previous_result = _previous_result(event, role, round_.number)
    order = (side_index, *(index for index in range(len(row.sides)) if index != side_index))
    score, totals = running_score(event, table_key, seating, side_index), [game.points for game in games]
    over = [game.is_over for game in games]
    if score_state is not None:
        score = format_score(event, seating, score_state.score, first=side_index)
        reported = score_state.score.games if isinstance(score_state.score, Played) else ()
        totals = list(game_scores(rules, reported))
        over = [True] * len(totals)
    return PhoneViewModel(
        table=role.number,
        side=role.subject,
        round=round_.number,
        rounds=len(event.rounds),
        version=event.table_version(table_key),
        sides=tuple((index, row.sides[index]) for index in order),
        chairs=join_names([seat.full_name for seat in seating.sides[side_index]]),
        labels=seating.labels,
        side_index=side_index,
        state=PLAYING if row.state == UPCOMING else row.state,
        keeps_score=tally is None or tally.scorer == role.subject or not tally.games,
        scorer=row.side_name(tally.scorer) if tally else "",
        score=score,
        games=games,
        points=totals[-1] if totals and (is_over or score_state or not over[-1]) else tuple(0 for _ in seating.sides),
        games_won=tuple(
            sum(ended and _leading_side(points) == side for ended, points in zip(over, totals, strict=True))
            for side in range(len(seating.sides))
        ),
        hand_count=event.hall.hand_count(table_key),
        target=0 if rules.fixed_hands else rules.target,
        win_by=rules.win_by,
        fixed_hands=rules.fixed_hands or 0,
        best_of=best_of,
        ours=_buttons(buttons, seating, side_index, own=True),
        theirs=_buttons(buttons, seating, side_index, own=False),
        passed_out=tuple(button for button in buttons if button.side == -1),
        is_over=is_over,
        is_reported_by_us=row.reported_by == role.subject,
        dispute_reason=row.dispute_reason,
        director_called=bool(row.director_call),
        paused=event.paused,
        closed=event.closed,
        side_count=len(seating.sides),
        seats=tuple(sitting.items()),
        previous_result=previous_result,
        singles=event.stage.singles,
    )


def _current_round(event: Event, role: Role) -> Round | None:
    """The table's first round without a score, or else its last."""
    rounds = [
        round_
        for round_ in event.rounds
        if (seating := round_.seating_at(role.number)) and role.subject in seating.labels
    ]
    open_rounds = [round_ for round_ in rounds if event.settled_score(round_.number, role.number) is None]
    return open_rounds[0] if open_rounds else rounds[-1] if rounds else None


def _previous_result(event: Event, role: Role, number: int) -> str:
    """The score of the last settled round at this table."""
    for round_ in reversed(event.rounds[: number - 1]):
        seating, score = round_.seating_at(role.number), event.settled_score(round_.number, role.number)
        if seating is not None and score is not None:
            text = format_score(event, seating, score, first=seating.labels.index(role.subject))
            return _("Round %(round)d: %(score)s", round=round_.number, score=text)
    return ""


def _game_view_models(
    event: Event,
    seating: Seating,
    tally: MatchTally | None,
    best_of: int,
    names: Mapping[str, str],
    sides: Sequence[str],
) -> Iterator[GameViewModel]:
    rules, games = event.rules_of(seating), tally.games if tally else ()
    scores = game_scores(rules, games)
    for index, results in enumerate(hand_results(rules, games)):
        numbers = accumulate(result.counts for result in results)
        hands = tuple(
            HandRow(text=describe_hand(seating, result, names, sides), number=number if result.counts else 0)
            for number, result in zip(numbers, results, strict=True)
        )
        yield GameViewModel(points=scores[index], hands=hands, is_over=is_game_over(rules, best_of, games[: index + 1]))


def _buttons(
    buttons: Sequence[ScoreButton], seating: Seating, side_index: int, *, own: bool
) -> tuple[ScoreButton, ...]:
    """One side's buttons, euchres last; grouped by maker if three play, since then two players may score."""
    is_three_handed = len(seating.sides) > 2
    sides = {
        button: button.side if not is_three_handed else seating.labels.index(button.hand[0])
        for button in buttons
        if button.side >= 0
    }
    chosen = [button for button, side in sides.items() if (side == side_index) is own]
    return tuple(chosen if is_three_handed else sorted(chosen, key=lambda button: button.euchre))


def _leading_side(points: tuple[int, ...]) -> int | None:
    best = max(points)
    return points.index(best) if points.count(best) == 1 else None
