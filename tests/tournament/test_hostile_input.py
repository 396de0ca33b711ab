"""Ledgers, prizes and scores that were made to break their parsers are refused, at once and with a named error."""

import json
from typing import Any

import pytest

from leftbower.errors import BadEntry, BadLedger, BadPlan, BadScore
from leftbower.rules import preset
from leftbower.tournament.model.codec import entry_from_json, entry_to_json
from leftbower.tournament.model.facts import EventOpened, LedgerEntry
from leftbower.tournament.model.plan import Prizes, default_plan
from leftbower.tournament.text import parse
from leftbower.tournament.text.csv import parse_csv, parse_pasted

LINE: dict[str, Any] = entry_to_json(
    LedgerEntry(fact=EventOpened(plan=default_plan("Night", preset("prize-night"))), by="desk", at=1.0)
)


@pytest.mark.parametrize("at", [pytest.param("1" + "0" * 400, id="1 and 400 zeros"), "NaN", "Infinity", "-1e400"])
def test_a_time_that_is_no_finite_number_is_refused(at: str) -> None:
    """JSON can spell them all; a float cannot hold the first, and no ledger can be written with the others."""
    with pytest.raises(BadLedger, match="at"):
        entry_from_json(LINE | {"at": json.loads(at)})


@pytest.mark.parametrize("share", ["1e999999999", "1e-999999999", "1_0", " 1", "१", "1/" + "9" * 30, "1/0"])
def test_a_share_is_read_only_as_it_is_written(share: str) -> None:
    """An exponent of nine digits would be worked out for hours."""
    plain = json.loads(json.dumps(LINE))
    plain["data"]["plan"]["prizes"]["shares"] = [share]
    with pytest.raises(BadLedger):
        entry_from_json(plain)


@pytest.mark.parametrize("cash", ["1e999999999%", "1e-9999999%", "%", "-5%", "1/0%", "5_0%"])
def test_a_share_of_the_pot_is_a_plain_number(cash: str) -> None:
    with pytest.raises(BadPlan):
        parse.parse_prizes(cash, "", (), Prizes())


def test_shares_are_read_as_people_write_them() -> None:
    shares = parse.parse_prizes("50%, 33.5 %,1/2%", "", (), Prizes()).shares
    assert list(map(str, shares)) == ["1/2", "67/200", "1/200"]


@pytest.mark.parametrize("loners", ["N=²", pytest.param("N=" + "9" * 5000, id="5000 digits"), "N=", "N=-1"])
def test_a_count_of_loners_is_a_small_number(loners: str) -> None:
    with pytest.raises(BadScore):
        parse.parse_score(["10-6"], (), (), [loners], stopped=False)


@pytest.mark.parametrize("text", ["A\n" * 1001, "name\n" + "A\n" * 1001], ids=["pasted", "CSV"])
def test_a_list_has_at_most_a_thousand_names(text: str) -> None:
    with pytest.raises(BadEntry, match="at most 1000 names"):
        (parse_csv if text.startswith("name") else parse_pasted)(text, singles=True)
