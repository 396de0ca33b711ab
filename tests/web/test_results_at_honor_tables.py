"""The result of a hand at an honor table: shown as soon as it stands, and in whole sentences."""

from dataclasses import replace

import pytest

from leftbower.engine import Closing, InGame, InHand, Ready
from leftbower.notation import describe_hand
from leftbower.rules import preset
from leftbower.rules.choices import Supervision
from leftbower.table import Acted, current_scores
from leftbower.web.table.view_model import table_view_model
from table_fixture import ANN, BOB, seated

NAMES = {ANN: "Ulf", BOB: "Bob"}


@pytest.mark.parametrize(("sheet", "seed"), [("club", 1), ("campus", 2), ("round-robin", 3)])
def test_the_score_stands_before_everyone_is_ready(sheet: str, seed: int) -> None:
    """From the last ruling on the score is that of the next hand, and the result says nothing about who is ready."""
    fixture = seated(replace(preset(sheet), supervision=Supervision.HONOR), people=(ANN, BOB), seed=seed)
    results = 0
    for _ in range(700):
        table, hand = fixture.table, fixture.table.hand
        closing = hand if isinstance(hand, Closing) else None
        fixture.step()
        after, fact = fixture.table, fixture.log[-1]
        if after.match is None or after.gathering:
            break
        over = isinstance(fact, Acted) and isinstance(fact.action, Ready) and after.hand is None
        if closing is None or not over:
            continue
        results += 1
        assert isinstance(table.match, InGame)
        assert isinstance(table.match.game, InHand)
        if sum(after.match.wins) == sum(table.match.wins):
            assert current_scores(table) == current_scores(after)
        for person in (ANN, BOB, "eve", None):
            narration = table_view_model("t", after, person, NAMES).narration
            assert "ready for the next hand" not in narration
            assert narration
        assert after.last_hand is not None
        assert all("ready" not in line for line in describe_hand(after.last_hand))
    assert results >= 2
