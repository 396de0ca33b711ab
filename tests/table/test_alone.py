"""Going alone at a live club table: offered with the call, answered for people, and possible until the lead."""

import pytest

from leftbower.engine import Discarding, ExchangingDummy, GoAlone, GoTogether, Order, Pass, Playing, view
from leftbower.rules import Seat, preset
from leftbower.table import Acted, BotActDue, BotSubstituted, DeckCut, PartnerDue, Timeouts, next_due
from table_fixture import ANN, BOB, CAT, DAN, TableFixture, seated

N, E, S, W = Seat
FOUR_PEOPLE = (ANN, BOB, CAT, DAN)


def bidding(people: tuple[str, ...], sheet: str = "club", seed: int = 0) -> TableFixture:
    """A hand whose first bidder has to decide; every cut was declined."""
    fixture = seated(preset(sheet), people=people, seed=seed)
    while fixture.table.hand is None:
        if not fixture.server_acts():
            cutter = fixture.table.cutter
            assert cutter is not None
            fixture.command(people[list(Seat).index(cutter)], DeckCut(seat=cutter, lifted=0))
    return fixture


def person_at(fixture: TableFixture, seat: Seat) -> str:
    return FOUR_PEOPLE[list(fixture.rules.seats).index(seat)]


def ordered(*, alone: bool, sheet: str = "club") -> tuple[TableFixture, Seat]:
    """The first bidder ordered up, and the dealer discarded."""
    players = FOUR_PEOPLE[: preset(sheet).players]
    fixture = bidding(players, sheet)
    hand = fixture.table.hand
    assert hand is not None
    maker, dealer = hand.to_act, hand.hand.deal.dealer
    fixture.command(person_at(fixture, maker), Acted(action=Order(maker, alone)))
    assert isinstance(fixture.table.hand, Discarding)
    bury = view(fixture.table.hand, dealer).legal[0]
    fixture.command(person_at(fixture, dealer), Acted(action=bury))
    return fixture, maker


def test_club_person_who_calls_without_alone_is_not_stopped() -> None:
    """The server answers at once that the maker plays with the partner, and the lead is due."""
    fixture, maker = ordered(alone=False)
    answer = next_due(fixture.table)
    assert isinstance(answer, PartnerDue)
    assert (answer.action, answer.delay) == (GoTogether(maker), 0.0)
    fixture.server_acts()
    assert isinstance(fixture.table.hand, Playing)


def test_club_person_says_alone_until_the_lead() -> None:
    """Even after the server has answered, and only by the maker."""
    fixture, maker = ordered(alone=False)
    fixture.server_acts()
    partner = maker.partner
    fixture.refused(person_at(fixture, partner), Acted(action=GoAlone(partner)), "not-now")
    fixture.command(person_at(fixture, maker), Acted(action=GoAlone(maker)))
    hand = fixture.table.hand
    assert isinstance(hand, Playing)
    assert hand.contract.alone
    assert partner not in hand.active
    fixture.command(person_at(fixture, hand.to_act), Acted(action=view(hand, hand.to_act).legal[0]))
    fixture.refused(person_at(fixture, maker), Acted(action=GoAlone(maker)), "not-now")


def test_club_alone_with_the_call_is_one_act() -> None:
    fixture, maker = ordered(alone=True)
    hand = fixture.table.hand
    assert isinstance(hand, Playing)
    assert maker.partner not in hand.active


def test_club3_person_takes_the_dummy_by_an_act() -> None:
    """Three-handed, the maker takes the dummy, and the server doesn't do that for a person."""
    fixture, maker = ordered(alone=False, sheet="club3")
    assert next_due(fixture.table) is None
    fixture.command(person_at(fixture, maker), Acted(action=GoTogether(maker)))
    assert isinstance(fixture.table.hand, ExchangingDummy)


@pytest.mark.parametrize("seed", range(6))
def test_a_bot_does_not_lead_while_a_person_may_say_alone(seed: int) -> None:
    """It waits as long as for people to look at a finished hand; not for a bot, nor if a bot plays for the person."""
    fixture = bidding((ANN,), seed=seed)
    hand = fixture.table.hand
    assert hand is not None
    dealer = hand.hand.deal.dealer
    while fixture.table.hand is not None and fixture.table.hand.to_act is not N:
        fixture.add(Acted(action=Pass(fixture.table.hand.to_act)))
    fixture.command(ANN, Acted(action=Order(N)))
    assert fixture.table.hand is not None
    bury = next(action for action in view(fixture.table.hand, dealer).legal if not isinstance(action, GoAlone))
    fixture.add(Acted(action=bury))
    fixture.server_acts()
    playing = fixture.table.hand
    assert isinstance(playing, Playing)
    if playing.to_act is N:
        return
    waits = next_due(fixture.table, Timeouts(hand_pause=5.0))
    assert isinstance(waits, BotActDue)
    assert waits.delay == 2.0
    fixture.add(BotSubstituted(person=ANN))
    covered = next_due(fixture.table, Timeouts(hand_pause=5.0))
    assert isinstance(covered, BotActDue)
    assert covered.delay == 0.0
