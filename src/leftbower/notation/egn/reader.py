"""Euchre Game Notation: replays a recorded game of four through the engine.

Players 0 to 3 sit at N, E, S and W. Most deals list no hands, so each seat's cards are collected from the tricks, and
cards that were never played stay unknown.
"""

from collections.abc import Iterator
from dataclasses import replace
from itertools import chain

from leftbower.engine import states
from leftbower.engine.actions import Action, Bury, DefendAlone, DefendTogether, KeepHand, Name, Order, Pass, Play
from leftbower.engine.deal import Deal, HeldCards
from leftbower.engine.game import Scores, add_points, winner
from leftbower.engine.hand import apply, start
from leftbower.errors import BadEgn, LeftbowerError
from leftbower.notation.egn.document import EgnDeal, EgnDocument, read_card, read_deal, read_document, require_card
from leftbower.notation.replay import Fault, ReplayedGame, ReplayedHand
from leftbower.rules import UNKNOWN, Card, Face, HouseRules, Seat, Suit, winning_card
from leftbower.rules.scoring import TRICKS_PER_HAND


def read_egn(text: str) -> ReplayedGame:
    """Replay a file up to the first error. A file that can't be read, or whose rules can't be played, raises."""
    document = read_document(text)
    game = _Game(document)
    for number, deal in enumerate(document.deals, 1):
        game.follow(number, deal)
        if game.fault:
            break
    return game.result()


class _Game:
    """A game being replayed deal by deal."""

    def __init__(self, document: EgnDocument) -> None:
        self.document = document
        self.scores: Scores = document.initial
        self.hands: list[states.Scored] = []
        self.warnings = [f"not understood: {name}" for name in document.odd]
        self.dealer: Seat | None = None
        """The dealer; None if nothing says so."""
        self.unfinished: states.State | None = None
        self.fault: Fault | None = None

    def follow(self, number: int, plain: object) -> None:
        """Replay one more deal. One that stops in the middle scores nothing, and the next may have any dealer."""
        path = f"deal {number}"
        self.unfinished = None
        try:
            deal = read_deal(plain)
            replayed = _replay_deal(self.document.rules, deal, self.scores)
        except LeftbowerError as error:
            self.fault = Fault(error=error.at(path), hand=number)
            return
        self.warnings += [f"{path}: {oddity}" for oddity in self._oddities(deal, replayed.state)]
        self._count(deal, replayed.state)
        if fault := replayed.fault:
            fault.error.at(path if fault.trick is None else f"{path}, trick {fault.trick}")
            self.fault = replace(fault, hand=number)
        elif self.unfinished:
            self.warnings.append(f"{path}: it stops before the hand is over, and scores nothing")

    def result(self) -> ReplayedGame:
        """The replayed game, up to the first error."""
        final = self.document.final
        if final is not None and final != self.scores and not self.fault:
            self.warnings.append(f"the file ends at {_score(final)}, but its deals add up to {_score(self.scores)}")
        return ReplayedGame(
            rules=self.document.rules,
            hands=tuple(self.hands),
            scores=self.scores,
            unfinished=self.unfinished,
            warnings=tuple(self.warnings),
            fault=self.fault,
        )

    def _oddities(self, deal: EgnDeal, state: states.State) -> Iterator[str]:
        """Oddities of a deal that aren't errors of play."""
        yield from (f"not understood: {name}" for name in deal.odd)
        if self._is_over():
            yield f"the game was over already, at {_score(self.scores)}"
        if self.dealer not in (None, deal.dealer):
            yield f"{deal.dealer} deals out of order; it is the deal of {self.dealer}"
        if isinstance(state, states.Scored) and state.reason is states.Reason.PASSED_OUT and self.document.stuck:
            yield "it is passed out, though the file says that the dealer is stuck"
        if deal.discard and "Order" not in deal.calls:
            yield "a discard is recorded, though no player ordered up; it is ignored"
        led = next((action.seat for action in state.actions if isinstance(action, Play)), None)
        if led and deal.leader not in (None, led):
            yield f"{deal.leader} is said to lead first, but by the rules {led} does"

    def _is_over(self) -> bool:
        rules = self.document.rules
        if rules.fixed_hands is not None:
            return len(self.hands) >= rules.fixed_hands
        return winner(rules, self.scores, len(self.hands)) is not None

    def _count(self, deal: EgnDeal, state: states.State) -> None:
        if isinstance(state, states.Scored):
            self.hands.append(state)
            self.scores = add_points(self.document.rules, self.scores, state.points)
            self.dealer = deal.dealer.left
        else:
            self.unfinished, self.dealer = state, None


def _score(scores: Scores) -> str:
    return "-".join(map(str, scores))


_Plays = list[tuple[int, Play]]
"""Cards in the order of play, each with the number of its trick."""
_Played = dict[Seat, list[Card]]
"""The cards each seat played; a card that appears twice belongs to the seat that played it first."""


def _replay_deal(rules: HouseRules, egn_deal: EgnDeal, scores: Scores) -> ReplayedHand:
    """Replay a deal up to the first illegal action. A deal whose cards are impossible raises."""
    said, table = _read_calls(rules, egn_deal)
    plays, flaw = _read_plays(table, egn_deal)
    played = _collect(plays)
    deal, buried = _deal(egn_deal, table, played)
    acts = [(None, Bury(act.seat, buried) if isinstance(act, Bury) else act) for act in said]
    state: states.State = start(rules, deal, scores)
    # The file doesn't say what was discarded. But the up-card was played, so it wasn't that. Only with this knowledge
    # can the engine see that the dealer reneged while holding the up-card.
    up_card_played = buried is UNKNOWN and egn_deal.up_card in played[egn_deal.dealer]
    judged: states.State = start(replace(rules, may_bury_up_card=not up_card_played), deal, scores)
    for trick, act in (*acts, *plays):
        try:
            judged, state = apply(judged, act), apply(state, act)
        except LeftbowerError as error:
            return ReplayedHand(state=state, fault=_fault(error, trick, act))
    return ReplayedHand(state=state, fault=flaw)


def _fault(error: LeftbowerError, trick: int | None, act: Action) -> Fault:
    card = act.card if isinstance(act, Play | Bury) and act.card is not UNKNOWN else None
    return Fault(error=error, trick=trick, seat=act.seat, card=card)


def _read_calls(rules: HouseRules, egn_deal: EgnDeal) -> tuple[list[Action], states.State]:
    """Every call before the first lead, up to an illegal one, and the hand after them, with unknown cards."""
    unknown: HeldCards = (UNKNOWN,) * 5
    deal = Deal(dealer=egn_deal.dealer, hands=(unknown, unknown, unknown, unknown), up_card=egn_deal.up_card)
    state: states.State = start(rules, deal)
    said: list[Action] = []
    called = 0
    while act := _next_call(state, egn_deal, called):
        said.append(act)
        called += isinstance(act, Pass | Order | Name)
        try:
            state = apply(state, act)
        except LeftbowerError:
            break
    return said, state


def _next_call(state: states.State, egn_deal: EgnDeal, called: int) -> Action | None:
    """The next call, after `called` calls; None when there are no more."""
    if isinstance(state, states.AskingFarmers):
        return KeepHand(state.to_act)
    if called < len(egn_deal.calls):
        call, seat = egn_deal.calls[called], tuple(Seat)[(egn_deal.dealer.index + 1 + called) % 4]
        if call == "Pass":
            return Pass(seat)
        return Order(seat, egn_deal.alone) if call == "Order" else Name(seat, Suit(call), egn_deal.alone)
    if isinstance(state, states.Discarding):
        return Bury(state.to_act, UNKNOWN)
    if isinstance(state, states.AskingDefenders):
        return DefendAlone(state.to_act) if state.to_act is egn_deal.defender else DefendTogether(state.to_act)
    return None


def _read_plays(table: states.State, egn_deal: EgnDeal) -> tuple[_Plays, Fault | None]:
    """The plays, and the error that stops the reading."""
    tricks = egn_deal.tricks
    while tricks and not tricks[-1]:
        tricks = tricks[:-1]
    if not isinstance(table, states.Playing):
        error = BadEgn("cards are played, but trump was not made")
        return [], Fault(error=error, trick=1) if tricks else None
    asked = any(isinstance(act, DefendTogether) for act in table.actions)
    if asked and egn_deal.defender is not None and table.contract.defender is None:
        error = BadEgn(
            "%(seat)s is not a defender, so can't defend alone", path="aloneDefender", seat=egn_deal.defender
        )
        return [], Fault(error=error, seat=egn_deal.defender)
    return _read_tricks(table, tricks)


def _read_tricks(table: states.Playing, tricks: tuple[tuple[str, ...], ...]) -> tuple[_Plays, Fault | None]:
    """Read the tricks: each must be complete before the next, and its winner leads."""
    plays: _Plays = []
    trump, order = table.contract.trump, _from(table.leader, table.active)
    for number, words in enumerate(tricks, 1):
        cards: list[Card] = []
        for seat, word in zip(order, words, strict=False):
            try:
                cards.append(require_card(read_card(word, trump)))
            except LeftbowerError as error:
                return plays, Fault(error=error, trick=number, seat=seat)
            plays.append((number, Play(seat, cards[-1])))
        if len(words) > len(order) or (len(words) < len(order) and number < len(tricks)):
            wrong = BadEgn(
                "this trick has %(cards)s cards for %(players)s players", cards=len(words), players=len(order)
            )
            return plays, Fault(error=wrong, trick=number)
        order = _from(order[cards.index(winning_card(cards, trump))], table.active)
    return plays, None


def _from(leader: Seat, active: tuple[Seat, ...]) -> tuple[Seat, ...]:
    """The players of a trick, from its leader on."""
    first = active.index(leader)
    return active[first:] + active[:first]


def _collect(plays: _Plays) -> _Played:
    played: _Played = {seat: [] for seat in Seat}
    for trick, play in plays:
        if trick <= TRICKS_PER_HAND and not any(play.card in cards for cards in played.values()):
            played[play.seat].append(play.card)
    return played


def _deal(egn_deal: EgnDeal, table: states.State, played: _Played) -> tuple[Deal, Face]:
    """The cards as dealt, as far as they are recorded or were played, and the discard."""
    contract = None if isinstance(table, states.FaceDown | states.AskingFarmers | states.Bidding) else table.contract
    trump = contract.trump if contract else None
    dealt = [_dealt_cards(egn_deal, seat, trump) for seat in Seat]
    dealer = egn_deal.dealer.index
    buried: Face = UNKNOWN
    if any(isinstance(act, Bury) for act in table.actions):
        buried = _buried(egn_deal, dealt[dealer], played[egn_deal.dealer], trump)
        if buried is UNKNOWN:
            dealt[dealer] = [card for card in dealt[dealer] if card in played[egn_deal.dealer]]
    taken = {egn_deal.up_card, *chain(*dealt)}
    also = [[card for card in played[seat] if card not in taken and card is not buried] for seat in Seat]
    if buried is not UNKNOWN and buried not in taken:
        also[dealer].insert(0, buried)
    north, east, south, west = map(_five_cards, dealt, also)
    return Deal(dealer=egn_deal.dealer, hands=(north, east, south, west), up_card=egn_deal.up_card), buried


def _dealt_cards(egn_deal: EgnDeal, seat: Seat, trump: Suit | None) -> list[Card]:
    """The recorded cards dealt to a seat, without those left open."""
    words = egn_deal.hands[seat.index] if seat.index < len(egn_deal.hands) else ()
    try:
        return [card for word in words if (card := read_card(word, trump)) is not UNKNOWN]
    except LeftbowerError as error:
        raise error.at("playerCards") from None


def _buried(egn_deal: EgnDeal, dealt: list[Card], played: list[Card], trump: Suit | None) -> Face:
    """The recorded discard; otherwise the only card held and not played in five tricks."""
    try:
        discard = read_card(egn_deal.discard, trump)
    except LeftbowerError as error:
        raise error.at("discard") from None
    left = [card for card in (*dealt, egn_deal.up_card) if card not in played]
    return left[0] if discard is UNKNOWN and left and len(played) == TRICKS_PER_HAND else discard


def _five_cards(dealt: list[Card], also: list[Card]) -> HeldCards:
    """A hand of the cards dealt, filled with others as far as there is room; the rest is unknown."""
    cards = (*dealt, *also)[: max(5, len(dealt))]
    return (*cards, *(UNKNOWN,) * (5 - len(cards)))
