"""A naive judge of three- and two-handed hands, written from the club's sheet and our readings of it alone.

It sees all cards face up, works over plain words and imports nothing of the program: a rule misread there is not
misread in the same way in this file. Seats are `N`, `E` and `S`, cards are words such as `Jd`, and an act is a tuple:

    ("pass", seat)            ("order", seat)             ("name", seat, suit)
                              ("order alone", seat)       ("name alone", seat, suit)
    ("bury", seat, card)      ("alone", seat)             ("dummy", seat)
    ("lay away", seat, cards) ("play", seat, card)        ("call", seat, against, kind, trick)
    ("claim", seat)           ("throw in", seat, tricks)  ("settle", seat, terms, points)
    ("agree", seat)           ("disagree", seat)          ("ready", seat)

Kinds of offenses are `renege`, `out-of-turn` and `failure-to-discard`, in a trick counted from 1, or 0 for the discard.
Terms are `full`, `fewer`, `correct` and `let-stand`.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from itertools import combinations

from naive_table import FaceUp, Offense

Act = tuple[str | int | tuple[str, ...], ...]

SUITS = "cdhs"
TRICKS = 5


@dataclass
class Judge(FaceUp):
    """One hand, followed act by act."""

    strict: bool = False
    """Does the table refuse wrong cards, wrong turns and a missing discard?"""
    passes: int = 0
    alone: bool = False
    dummy_taken: bool = False
    laid_away: bool = False
    open_hands: dict[str, int] = field(default_factory=dict)
    """Who claimed with all cards face up, and in which trick."""
    proposed: list[tuple[str, int]] = field(default_factory=list)
    """Who proposed a throw-in, and in which trick."""
    proposal: tuple[str, int | None] | None = None
    """Who waits for an answer to a throw-in with the maker's tricks, or to a claim without a number."""
    agreed: set[str] = field(default_factory=set)
    calls: list[tuple[str, Offense]] = field(default_factory=list)
    """Calls that wait for proof, each with its caller."""
    ruled: set[Offense] = field(default_factory=set)
    """What was ruled on, for cards that still lie."""
    verdicts: list[tuple[Offense, bool]] = field(default_factory=list)
    """Every ruling in order: was the player guilty?"""
    settling: Offense | None = None
    """The offense whose penalty the wronged players may waive or lessen now."""
    said: dict[str, tuple[str, int]] = field(default_factory=dict)
    """The terms each of them has named."""
    penalties: dict[str, dict[str, int]] = field(default_factory=dict)
    """By the guilty side, what each of the other side scores."""
    agreed_tricks: int | None = None
    ready: set[str] = field(default_factory=set)

    # What each player may do

    def phase(self) -> str:
        """What the hand waits for."""
        if not self.maker:
            return "bidding"
        if self.strict and self.ordered and not self.buried:
            return "discarding"
        if not self.alone and not self.dummy_taken:
            return "deciding"
        if self.dummy_taken and not self.laid_away:
            return "exchanging"
        if self.proposal or self.settling:
            return "answering" if self.proposal else "settling"
        if not self.over():
            return "playing"
        return "scored" if self.strict or self.ready == set(self.players) else "closing"

    def over(self) -> bool:
        """Five tricks, an agreement or a penalty end the play."""
        return len(self.complete()) == TRICKS or self.agreed_tricks is not None or bool(self.penalties)

    def offers(self) -> set[Act]:
        """All acts of all players that are possible now."""
        match self.phase():
            case "bidding":
                return self._bids()
            case "discarding":
                return self._discards() | (set() if self.alone else {("alone", self.maker)})
            case "deciding":
                return self._decisions()
            case "exchanging":
                return self._exchanges()
            case "playing":
                return self._plays() | self._discards() | self._calls() | self._claims()
            case "answering":
                return {(word, seat) for word in ("agree", "disagree") for seat in self._seats_to_answer()}
            case "settling":
                return self._settlements()
            case "closing":
                return self._calls() | {("ready", seat) for seat in self.players if seat not in self.ready}
            case _:
                return set()

    def _bids(self) -> set[Act]:
        """From the dealer's left: the up-card's suit or a pass, then another suit or a pass; the dealer is stuck."""
        size = len(self.players)
        seat = self.clockwise_from_left_of(self.dealer)[self.passes % size]
        bids: set[Act] = set() if self.passes == 2 * size - 1 else {("pass", seat)}
        if self.passes < size:
            return bids | {("order", seat), ("order alone", seat)}
        suits = [suit for suit in SUITS if suit != self.up_card[1]]
        return bids | {(word, seat, suit) for word in ("name", "name alone") for suit in suits}

    def _discards(self) -> set[Act]:
        """A dealer with the up-card may bury any of six cards until playing the first one."""
        if not self.ordered or self.buried or self.failure_to_discard():
            return set()
        return {("bury", self.dealer, card) for card in self.hands[self.dealer]}

    def _decisions(self) -> set[Act]:
        """The maker goes alone or takes the dummy; a maker who deals takes the dummy only after the discard."""
        owes_discard = self.ordered and not self.buried and self.maker == self.dealer
        dummy: set[Act] = set() if owes_discard else {("dummy", self.maker)}
        return {("alone", self.maker)} | dummy | self._discards()

    def _exchanges(self) -> set[Act]:
        """The maker lays away any three of eight cards."""
        choices = combinations(sorted(self.hands[self.maker]), len(self.dummy))
        return {("lay away", self.maker, cards) for cards in choices} | self._discards()

    def _plays(self) -> set[Act]:
        """Strict: the legal cards of the player whose turn it is. Honor: any card of all who have none in the trick."""
        if self.strict:
            return {("play", self.due(), card) for card in self.legal_cards(self.due())}
        laid = [seat for seat, _ in self.on_table()]
        return {("play", seat, card) for seat in self.players if seat not in laid for card in self.hands[seat]}

    def _calls(self) -> set[Act]:
        """Only opponents call, each of them once, and no more when it was ruled on."""
        return {
            ("call", caller, *offense)
            for offense in ([] if self.strict else self.callable_offenses())
            for caller in self.opponents(offense[0])
            if offense not in self.ruled and (caller, offense) not in self.calls
        }

    def _claims(self) -> set[Act]:
        """The player on lead may claim the rest, once; each player may propose a throw-in once a trick."""
        taken, left = self.makers_tricks(), TRICKS - len(self.complete())
        claims: set[Act] = {
            ("throw in", seat, tricks)
            for seat in self.players
            if (seat, self.number()) not in self.proposed
            for tricks in range(taken, taken + left + 1)
        }
        on_lead = not self.on_table() and self.due() not in self.open_hands
        return claims | {("claim", self.due())} if on_lead else claims

    def _seats_to_answer(self) -> list[str]:
        """All but the proposer and those who have agreed."""
        proposer = self.proposal[0] if self.proposal else ""
        return [seat for seat in self.players if seat != proposer and seat not in self.agreed]

    def _settlements(self) -> set[Act]:
        """Wronged players who have not spoken name terms; nothing can be corrected when the play is over."""
        offender = self.settling[0] if self.settling else ""
        terms = [("full", 0), ("let-stand", 0), *(("fewer", points) for points in range(1, self.price()))]
        terms += [] if self.over() else [("correct", 0)]
        return {("settle", seat, *term) for seat in self.opponents(offender) if seat not in self.said for term in terms}

    # What happens

    def enter(self, act: Act) -> None:
        """Follow one act."""
        match act:
            case ("pass", _):
                self.passes += 1
            case ("order" | "order alone" as word, str(seat)):
                self.maker, self.trump, self.ordered, self.alone = seat, self.up_card[1], True, word == "order alone"
                self.hands[self.dealer].append(self.up_card)
            case ("name" | "name alone" as word, str(seat), str(suit)):
                self.maker, self.trump, self.alone = seat, suit, word == "name alone"
            case ("bury", str(seat), str(card)):
                self.buried = card
                self.hands[seat].remove(card)
            case ("alone", _):
                self.alone = True
            case ("dummy", str(seat)):
                self.dummy_taken = True
                self.hands[seat] += self.dummy
            case ("lay away", str(seat), tuple(cards)):
                self.laid_away = True
                self.hands[seat] = [card for card in self.hands[seat] if card not in cards]
            case ("play", str(seat), str(card)):
                self.turns.append(self.due())
                self.laid.append((seat, card))
                self.hands[seat].remove(card)
            case _:
                self._enter_talk(act)
        self._rule()

    def _enter_talk(self, act: Act) -> None:
        match act:
            case ("call", str(caller), str(seat), str(kind), int(number)):
                self.calls.append((caller, (seat, kind, number)))
            case ("settle", str(seat), str(terms), int(points)):
                self.said[seat] = (terms, points)
                self._settle()
            case ("claim", str(seat)):
                self.proposal, self.open_hands[seat] = (seat, None), self.number()
            case ("throw in", str(seat), int(tricks)):
                self.proposal = (seat, tricks)
                self.proposed.append((seat, self.number()))
            case ("agree", str(seat)):
                self.agreed.add(seat)
                if not self._seats_to_answer():
                    self._accept()
            case ("disagree", _):
                self.proposal, self.agreed = None, set()
            case ("ready", str(seat)):
                self.ready.add(seat)
            case _:
                raise ValueError(f"the judge does not know the act {act}")

    def _accept(self) -> None:
        """The hand ends with the tricks named, or with all the rest for the claimant."""
        seat, tricks = self.proposal or ("", None)
        rest = TRICKS - len(self.complete()) if seat == self.maker else 0
        self.agreed_tricks = self.makers_tricks() + rest if tricks is None else tricks
        self.proposal, self.agreed = None, set()

    def decided(self, offense: Offense) -> bool:
        """Do cards that lie face up decide it? Turns and the number of cards in a hand are seen by all.

        A card that was taken back is in the hand again and proves nothing until it is played or shown.
        """
        seat, kind, number = offense
        if kind != "renege" or self.over() or seat in self.open_hands or not self.hands[seat]:
            return True
        return any(card not in self.hands[seat] for card in self.withheld(seat, number))

    def _rule(self) -> None:
        """Rule on the calls that are decided, in the order they were made, until a penalty is to be settled.

        One penalty for each side. Only a renege or a play out of turn may be waived. A claim whose cards prove an
        offense is not answered any more.
        """
        while not self.settling:
            offense = next((offense for _, offense in self.calls if self.decided(offense)), None)
            if offense is None:
                return
            self.calls = [call for call in self.calls if call[1] != offense]
            self.ruled.add(offense)
            self.verdicts.append((offense, self.guilty(offense)))
            if not self.guilty(offense) or self.side(offense[0]) in self.penalties:
                continue
            if offense[1] == "failure-to-discard":
                self._punish(offense[0], self.price())
            else:
                self.settling, self.said, self.proposal = offense, {}, None

    def price(self) -> int:
        """An offense costs 2 points, or 4 if the hand was called alone."""
        return 4 if self.alone else 2

    def _punish(self, offender: str, points: int) -> None:
        """Each player of the other side scores: both defenders, or only the maker."""
        self.penalties[self.side(offender)] = dict.fromkeys(self.opponents(offender), points)

    def _settle(self) -> None:
        """One player can enforce; to waive or lessen takes all of the wronged side, in the same words."""
        offense = self.settling
        assert offense is not None
        different = set(self.said.values())
        terms, points = different.pop() if len(different) == 1 else ("full", 0)
        if terms != "full" and len(self.said) < len(self.opponents(offense[0])):
            return
        self.settling = None
        if terms in ("full", "fewer"):
            self._punish(offense[0], self.price() if terms == "full" else points)
        elif terms == "correct":
            self._take_back(offense[0], offense[2])

    def _take_back(self, offender: str, number: int) -> None:
        """The wrong card and all later ones go back to the hands; calls, rulings and claims on them are undone."""
        start = (number - 1) * len(self.players)
        index = next(index for index in range(start, len(self.laid)) if self.laid[index][0] == offender)
        for seat, card in self.laid[index:]:
            self.hands[seat].append(card)
        del self.laid[index:], self.turns[index:]
        self.ruled = {offense for offense in self.ruled if offense in self.callable_offenses()}
        self.calls = [call for call in self.calls if call[1] in self.callable_offenses()]
        self.proposed = [past for past in self.proposed if past[1] <= number]
        self.open_hands = {seat: trick for seat, trick in self.open_hands.items() if trick <= number}

    # What the hand scores

    def reason(self) -> str:
        """How the hand ended."""
        if self.penalties:
            return "penalty" if len(self.penalties) == 1 else "both-guilty"
        tricks = self.makers_tricks() if self.agreed_tricks is None else self.agreed_tricks
        return "euchre" if tricks < 3 else "made-it" if tricks < TRICKS else "march"

    def points(self) -> dict[str, int]:
        """What each player scores; a penalty replaces the score of the hand, and two penalties cancel."""
        match self.reason():
            case "penalty":
                return next(iter(self.penalties.values()))
            case "both-guilty":
                return {}
            case "euchre":
                return dict.fromkeys(self.opponents(self.maker), 4 if self.alone else 2)
            case "march":
                return {self.maker: 4 if self.alone else 2}
            case _:
                return {self.maker: 1}


def judge_hand(
    dealer: str, up_card: str, hands: Mapping[str, Iterable[str]], dummy: Iterable[str], acts: Iterable[Act]
) -> Judge:
    """Judge a hand at an honor table from its deal and its acts, or refuse the first act that was not possible."""
    held = {seat: list(cards) for seat, cards in hands.items()}
    judge = Judge(players=tuple(held), dealer=dealer, hands=held, dummy=tuple(dummy), up_card=up_card)
    for act in acts:
        if act not in judge.offers():
            raise ValueError(f"{act} was not possible, only {sorted(judge.offers(), key=str)}")
        judge.enter(act)
    return judge
