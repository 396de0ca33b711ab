"""Alone at a live table of the club: a choice beside the call, answered for people, and open until the lead."""

import pytest

from leftbower.engine import Discarding, ExchangingDummy, GoAlone, GoTogether, Order, Pass, Playing, view
from leftbower.rules import Seat, preset
from leftbower.table import Acted, BotActDue, BotSubstituted, DeckCut, PartnerDue, Timeouts, next_due
from table_fixture import ANN, BOB, CAT, DAN, TableFixture, seated

N, E, S, W = Seat
EVERYBODY = (ANN, BOB, CAT, DAN)


def bidding(people: tuple[str, ...], sheet: str = "club", seed: int = 0) -> TableFixture:
    """A hand whose first caller is asked; whoever is offered the cut lets it be."""
    evening = seated(preset(sheet), people=people, seed=seed)
    while evening.table.hand is None:
        if not evening.house():
            cutter = evening.table.cutter
            assert cutter is not None
            evening.ask(people[list(Seat).index(cutter)], DeckCut(seat=cutter, lifted=0))
    return evening


def person_at(evening: TableFixture, seat: Seat) -> str:
    return EVERYBODY[list(evening.rules.seats).index(seat)]


def ordered(*, alone: bool, sheet: str = "club") -> tuple[TableFixture, Seat]:
    """The first caller has ordered up, and the dealer has buried a card."""
    players = EVERYBODY[: preset(sheet).players]
    evening = bidding(players, sheet)
    hand = evening.table.hand
    assert hand is not None
    maker, dealer = hand.to_act, hand.hand.deal.dealer
    evening.ask(person_at(evening, maker), Acted(action=Order(maker, alone)))
    assert isinstance(evening.table.hand, Discarding)
    bury = view(evening.table.hand, dealer).legal[0]
    evening.ask(person_at(evening, dealer), Acted(action=bury))
    return evening, maker


def test_club_person_who_calls_without_alone_is_not_stopped() -> None:
    """The house answers at once that the maker plays with the partner, and the lead is due."""
    evening, maker = ordered(alone=False)
    answer = next_due(evening.table)
    assert isinstance(answer, PartnerDue)
    assert (answer.action, answer.delay) == (GoTogether(maker), 0.0)
    evening.house()
    assert isinstance(evening.table.hand, Playing)


def test_club_person_says_alone_until_the_lead() -> None:
    """After the house has answered too, and by the maker only."""
    evening, maker = ordered(alone=False)
    evening.house()
    partner = maker.partner
    evening.refused(person_at(evening, partner), Acted(action=GoAlone(partner)), "not-now")
    evening.ask(person_at(evening, maker), Acted(action=GoAlone(maker)))
    hand = evening.table.hand
    assert isinstance(hand, Playing)
    assert hand.contract.alone
    assert partner not in hand.active
    evening.ask(person_at(evening, hand.to_act), Acted(action=view(hand, hand.to_act).legal[0]))
    evening.refused(person_at(evening, maker), Acted(action=GoAlone(maker)), "not-now")


def test_club_alone_with_the_call_is_one_act() -> None:
    evening, maker = ordered(alone=True)
    hand = evening.table.hand
    assert isinstance(hand, Playing)
    assert maker.partner not in hand.active


def test_club3_person_takes_the_dummy_by_an_act() -> None:
    """Among three the dummy is touched by the maker, and nobody does it for a person."""
    evening, maker = ordered(alone=False, sheet="club3")
    assert next_due(evening.table) is None
    evening.ask(person_at(evening, maker), Acted(action=GoTogether(maker)))
    assert isinstance(evening.table.hand, ExchangingDummy)


@pytest.mark.parametrize("seed", range(6))
def test_a_bot_does_not_lead_at_once_while_a_person_may_still_say_alone(seed: int) -> None:
    """It waits as long as people look at a hand that is over; not for a bot, nor once the person is covered."""
    evening = bidding((ANN,), seed=seed)
    hand = evening.table.hand
    assert hand is not None
    dealer = hand.hand.deal.dealer
    while evening.table.hand is not None and evening.table.hand.to_act is not N:
        evening.add(Acted(action=Pass(evening.table.hand.to_act)))
    evening.ask(ANN, Acted(action=Order(N)))
    assert evening.table.hand is not None
    bury = next(action for action in view(evening.table.hand, dealer).legal if not isinstance(action, GoAlone))
    evening.add(Acted(action=bury))
    evening.house()
    playing = evening.table.hand
    assert isinstance(playing, Playing)
    if playing.to_act is N:
        return
    waits = next_due(evening.table, Timeouts(hand_pause=7.0))
    assert isinstance(waits, BotActDue)
    assert waits.delay == 7.0
    evening.add(BotSubstituted(person=ANN))
    covered = next_due(evening.table, Timeouts(hand_pause=7.0))
    assert isinstance(covered, BotActDue)
    assert covered.delay == 0.0
