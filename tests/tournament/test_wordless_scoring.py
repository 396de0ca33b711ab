"""Decisions render no words: rulings, scores by hand and reachable scores never reach the clauses of the rules."""

from collections.abc import Iterator
from dataclasses import replace
from types import FunctionType
from typing import NoReturn

import pytest

from leftbower.errors import BadScore
from leftbower.rules import Incident, Irregularity, Preset, Remedy, Seat, cite, clauses, presets, ruling
from leftbower.tournament.scoring import reachable
from leftbower.tournament.scoring.scores import Hands, Played, Totals, check_score, hand_results

SHEETS = pytest.mark.parametrize("sheet", presets(), ids=lambda sheet: sheet.name)
CACHED = (reachable.scores_to_target, reachable.scores_after_hands, reachable._hand_points)


class RenderedWordsError(Exception):
    """A decision has rendered a clause of the rules."""


@pytest.fixture(autouse=True)
def _no_words(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every function that renders a clause raises, and no earlier result is cached."""

    def raise_error(*_: object, **__: object) -> NoReturn:
        raise RenderedWordsError

    for cached in CACHED:
        cached.cache_clear()
    for name, value in vars(clauses).items():
        if isinstance(value, FunctionType) or name in ("sections", "Clause"):
            monkeypatch.setattr(clauses, name, raise_error)


def incidents(sheet: Preset) -> Iterator[Incident]:
    """Reports of every irregularity by every player, with and without the facts that lessen or raise its cost."""
    for kind in Irregularity:
        for offender in sheet.rules.seats:
            for maker in sheet.rules.seats:
                report = Incident(irregularity=kind, offender=offender, maker=maker, dealer=offender)
                yield from (report, replace(report, alone=True), replace(report, corrected=True))
                yield from (replace(report, earlier_warnings=9), replace(report, up_card_shown=False))


@SHEETS
def test_a_ruling_renders_no_words(sheet: Preset) -> None:
    """A ruling names the options that it rests on, whatever happened."""
    assert all(ruling(sheet.rules, incident).cited_options for incident in incidents(sheet))


@SHEETS
def test_scoring_hands_with_irregularities_renders_no_words(sheet: Preset) -> None:
    """As a table reports them, each alone."""
    for incident in incidents(sheet):
        [[result]] = hand_results(sheet.rules, [Hands(hands=(incident,))])
        assert result.hand is incident


@SHEETS
def test_checking_a_score_renders_no_words(sheet: Preset) -> None:
    """Games to the target that were won, stopped or cannot be, and what two hands can bring."""
    labels = ["+".join(map(str, side)) for side in sheet.rules.sides]
    losers = (0,) * (len(labels) - 1)
    for scored, stopped in (((sheet.rules.target, *losers), False), ((2, *losers), True)):
        check_score(sheet.rules, 1, Played(games=(Totals(points=scored),), stopped=stopped), labels)
    with pytest.raises(BadScore, match="no game can end"):
        check_score(sheet.rules, 1, Played(games=(Totals(points=(50, *losers)),)), labels)
    assert reachable.scores_after_hands(sheet.rules, 2)


def test_a_rendered_clause_would_be_noticed() -> None:
    """Citing the rule of a ruling renders it."""
    rules = next(sheet.rules for sheet in presets() if sheet.name == "club")
    ruled = ruling(rules, Incident(irregularity=Irregularity.RENEGE, offender=Seat.E))
    assert ruled.remedy is Remedy.PENALTY
    with pytest.raises(RenderedWordsError):
        cite(ruled, rules)
