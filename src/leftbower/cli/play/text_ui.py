"""Text UI: one person among bots, with sentences and prompts."""

import random
import re
from contextlib import suppress
from pathlib import Path
from typing import Final

from leftbower.cli.play.tricks import describe_winner, last_trick, reenact_tricks
from leftbower.engine import actions
from leftbower.engine.claim_proof import claim_is_certain
from leftbower.engine.deal import Deal, Draw, deal_hand, draw_dealer
from leftbower.engine.game import InHand, ToDeal, add_points
from leftbower.engine.hand import apply, legal_actions, whose_turn
from leftbower.engine.honor import evidence_for
from leftbower.engine.legal_view import view
from leftbower.engine.match import Fact, InGame, Match, MatchOver, ToDraw, advance_match, new_match
from leftbower.engine.states import Answering, Closing, OpenState, Playing, Scored, Settling, Verdict
from leftbower.engine.view import Phase, View, disputed_tricks
from leftbower.errors import LeftbowerError, RuleViolation, UnknownPlayer, UnreadableFile
from leftbower.notation import (
    Record,
    RecordedPlayer,
    describe,
    describe_choice,
    describe_result,
    describe_scores,
    dumps,
    format_cards,
    parse_token,
    to_token,
)
from leftbower.notation.describe import YOU, describe_deal, join_names
from leftbower.players.driver import calls_only, sees_all, talks
from leftbower.players.roster import player
from leftbower.rules import UNKNOWN, Card, HouseRules, Rank, Seat, Side, Suit, announce, as_text, cite, rule_card
from leftbower.rules.choices import Cut, Supervision
from leftbower.rules.tricks import ranking

HELP: Final = """You can type
  the number or the word of a choice (p, o, h!, -9s), or a card (Jd, 10s)
  score   the score            last    the last trick, if the rules let you look at it
  tricks  go back through the tricks one by one after a renege is called
  talk    list what you can call, claim or propose; then type t1, t2, …
  hint    what the coach would do, and why
  rules   the rule card        any     a random choice
  quit    stop here
"""


_NOTICE_PROBABILITY: Final = 0.3
"""Probability that a bot that does not talk calls a renege that the open cards prove."""
_TALK: Final = (actions.CallOut, actions.Claim, actions.Correct, actions.ThrowIn)
_ANSWERS: Final = (actions.Agree, actions.Disagree, actions.Settle, actions.Ready)


class Stopped(Exception):
    """The person typed quit."""


class TextTable:
    """One match at a prompt: the facts so far, the person's seat and who sits in the others."""

    def __init__(
        self, rules: HouseRules, me: Seat, rng: random.Random, *, bots: str = "regular", record: str | None = None
    ) -> None:
        """`rng` shuffles and cuts; bots, coach and `any` have random generators of their own."""
        rules.side_of(me)
        self.rules = rules
        self.me = me
        if sees_all(player(bots)):
            raise UnknownPlayer("%(bots)s sees every card, so it can't play here", bots=bots)
        self.bots = {seat: player(bots) for seat in rules.seats if seat is not me}
        self.rng = rng
        self.rngs = {seat: random.Random(rng.getrandbits(64)) for seat in rules.seats}
        self.coach = rng.getrandbits(64)
        self.record = record
        self.facts: list[Fact] = []

    def run(self) -> bool:
        """Play until the match ends or the person quits; False after Ctrl-C or the end of input."""
        self._save()
        print(f"You sit {self.me.full_name}. Type ? for help.\n")
        match: Match = new_match(self.rules)
        try:
            while not isinstance(match, MatchOver):
                fact = self._next(match)
                self.facts.append(fact)
                after = advance_match(match, fact)
                self._announce(match, fact, after)
                match = after
        except (Stopped, KeyboardInterrupt, EOFError) as why:
            print("\nStopped before the end of the match.")
            return isinstance(why, Stopped)
        finally:
            self._save()
        return True

    def _next(self, match: ToDraw | InGame) -> Fact:
        """The next fact of the match: a random draw or deal, or an action of the person or a bot."""
        if isinstance(match, ToDraw):
            cut = self._cut(self.rules.draw_cut, self.me)
            return draw_dealer(self.rules, shuffler=self.me, deck=self._shuffled(), cut=cut)
        game = match.game
        if isinstance(game, ToDeal):
            if game.dealer is self.me and not self._offers_the_cut():
                return deal_hand(self.rules, dealer=game.dealer, deck=self._shuffled(), cut_offered=False)
            cut = self._cut(self.rules.deal_cut, game.dealer)
            return deal_hand(self.rules, dealer=game.dealer, deck=self._shuffled(), cut=cut)
        return self._act(game.hand)

    def _act(self, hand: OpenState) -> actions.Action:
        """The next action in a hand: first what bots answer or remark, then the player to act."""
        legal = legal_actions(hand)
        seat = next(
            (action.seat for action in legal if isinstance(action, _ANSWERS) and action.seat is not self.me),
            whose_turn(hand),
        )
        remark = None if isinstance(hand, Answering | Settling) else self._remark(hand, legal)
        if remark is not None:
            return remark
        if seat is self.me:
            seat = hand.to_act  # a person who owes a card is not reminded of it
        if seat is self.me:
            return self._choose(hand)
        return self.bots[seat].act(view(hand, seat), self.rngs[seat])

    def _remark(self, hand: OpenState, legal: tuple[actions.Action, ...]) -> actions.Action | None:
        """An unprompted remark of a bot: what it chooses to say, or sometimes a call that the open cards prove."""
        called = [call for call in legal if isinstance(call, actions.CallOut) and call.seat is not self.me]
        last = hand.actions[-1].seat if hand.actions else None
        for seat, bot in self.bots.items():
            if talks(bot) and seat is not last and (called or not calls_only(bot)):
                remark = bot.remark(view(hand, seat), self.rngs[seat])
                if remark is not None:
                    return remark
        plain = [call for call in called if not talks(self.bots[call.seat]) and _is_plain(hand, call)]
        noticed = plain and self.rngs[plain[0].seat].random() < _NOTICE_PROBABILITY
        return self.rngs[plain[0].seat].choice(plain) if noticed else None

    def _offers_the_cut(self) -> bool:
        """Ask the dealer: at an honor table a dealer can skip the cut even if the rules require it."""
        if self.rules.supervision is Supervision.STRICT or self.rules.deal_cut is Cut.NONE:
            return True
        return not self._ask("You deal. Offer the cut? Enter for yes, n for no:").lower().startswith("n")

    def _shuffled(self) -> list[Card]:
        deck = list(self.rules.deck)
        self.rng.shuffle(deck)
        return deck

    def _cut(self, offered: Cut, by: Seat) -> int:
        """How many cards the player to whom the cut is offered lifts; 0 for no cut."""
        if offered is Cut.NONE:
            return 0
        seats = self.rules.seats
        step = 1 if offered is Cut.LEFT else -1
        cutter = seats[(seats.index(by) + step) % len(seats)]
        max_lift = len(self.rules.deck) - 1
        if cutter is not self.me:
            return self.rng.choice((0, self.rng.randint(1, max_lift)))
        while True:
            answer = self._ask(f"{self._name(by)} offers you the cut. Lift 1 to {max_lift} cards, or Enter for none:")
            if not answer:
                return 0
            if answer.lower() == "any":
                return self.rngs[self.me].randint(0, max_lift)
            if answer.isdecimal() and 1 <= int(answer[:3]) <= max_lift:
                return int(answer[:3])
            print(f"Type a number from 1 to {max_lift}, or just press Enter.")

    def _choose(self, hand: OpenState) -> actions.Action:
        """Show the person their view and choices, and ask until the answer is legal."""
        seat_view = view(hand, self.me)
        self._show(seat_view)
        while True:
            answer = self._ask(self._question(seat_view))
            try:
                action = self._read(answer, seat_view)
                if action is not None:
                    apply(hand, action)
                    return action
            except RuleViolation as why:
                print(f"No: {why.message}.")
            except LeftbowerError as why:
                print(f"{why.message}. Type ? for help.")

    def _read(self, answer: str, view: View) -> actions.Action | None:
        """The action an answer stands for, or None if it only asked for information."""
        choices = _choices(view)
        if answer.isdecimal() and 1 <= int(answer[:3]) <= len(choices):
            return choices[int(answer[:3]) - 1]
        spoken = re.fullmatch(r"t(\d{1,3})", answer.lower())
        if spoken and 1 <= int(spoken[1]) <= len(_spoken(view)):
            return _spoken(view)[int(spoken[1]) - 1]
        match answer.lower():
            case "" | "?" | "help":
                print(HELP)
            case "any":
                return self.rngs[self.me].choice(_choices(view) or view.legal)
            case "hint":
                self._hint(view)
            case "score":
                print(f"{describe_scores(self.rules, view.scores, self._name)}.")
            case "rules":
                print(as_text(rule_card(self.rules)))
            case "last":
                print(last_trick(view, self._name))
            case "tricks":
                reenact_tricks(view, self._name, self._ask)
            case "talk" | "call" | "claim" | "propose" | "correct":
                self._list(view, _spoken(view), "t")
            case _:
                return self._read_act(answer, view)
        return None

    def _hint(self, view: View) -> None:
        """Print the coach's advice; the same view always gets the same advice."""
        from leftbower.cli.hint import describe_advice
        from leftbower.players.coach.coach import advise

        print("", *describe_advice(advise(view, rng=random.Random(self.coach)), view), "", sep="\n")

    def _read_act(self, answer: str, view: View) -> actions.Action:
        """An action by its word; cards may be written `jd`, `10d` or with spaces, and need no sign before them."""
        tidy = _tidy(answer)
        if view.phase is Phase.PLAYING and not re.match(r"[-NESW*^<]", tidy):
            return actions.Play(self.me, Card.parse(tidy))
        sign = {Phase.DISCARDING: "-", Phase.EXCHANGING_DUMMY: "-", Phase.FARMERS: "~"}.get(view.phase, "")
        bare = len(tidy) > 1 and not tidy.startswith(sign)
        return parse_token(f"{sign}{tidy}" if bare else tidy, self.me, view.dealer)

    def _question(self, view: View) -> str:
        if view.phase is Phase.EXCHANGING_DUMMY:
            return "Discard three cards, for example 9s 9h Tc:"
        return "Your choice:"

    def _show(self, view: View) -> None:
        """Print the table as the person sees it, and the choices."""
        trump = (
            f" Trump is {view.contract.trump.name.lower()}." if view.contract else f" Up-card {view.up_card.pretty}."
        )
        if view.trick and view.leader:
            print(f"{self._name(view.leader)} led: {format_cards(view.trick)}.")
        print(f"Your cards: {format_cards(in_order(view))}.{trump}")
        self._list(view, _choices(view))
        if _spoken(view) and view.rules.supervision is Supervision.HONOR:
            print("  (type talk to list what you can call, claim or propose)")

    def _list(self, view: View, actions: tuple[actions.Action, ...], mark: str = "") -> None:
        for number, action in enumerate(actions, 1):
            label = describe_choice(action, self.rules, self._name, dealer=view.dealer)
            print(f"  {mark}{number}  {to_token(action):<5} {label}")

    def _offer_tricks(self, view: View) -> None:
        """After a hand in which a renege was called, let the person check the ruling before the next deal."""
        question = "A renege was called in this hand. Press Enter to go on, or type tricks to see the tricks again:"
        with suppress(EOFError):
            while self._ask(question).lower() == "tricks":
                reenact_tricks(view, self._name, self._ask)

    def _announce(self, before: Match, fact: Fact, after: Match) -> None:
        """Print the public part of what happened."""
        match fact:
            case Draw():
                print(f"Draw for the first deal: {format_cards(fact.cards)}. {describe_deal(fact.dealer, self._name)}")
            case Deal():
                print(f"\n{describe_deal(fact.dealer, self._name, fact.up_card.pretty)}")
            case _:
                self._announce_act(before, fact, after)

    def _announce_act(self, before: Match, action: actions.Action, after: Match) -> None:
        hand = apply(_open_hand(before), action)
        seat_view = view(hand, self.me)
        print(describe(seat_view.actions[-1], self.rules, self._name, dealer=hand.hand.deal.dealer))
        if seat_view.tricks and not seat_view.trick and isinstance(action, actions.Play):
            print(f"  {describe_winner(seat_view.tricks[-1], self._name)}")
        for verdict in seat_view.docket.verdicts[len(view(_open_hand(before), self.me).docket.verdicts) :]:
            print(f"  {self._verdict(verdict)}")
        certain = claim_is_certain(hand) if isinstance(action, actions.Claim) else None
        if certain is not None:
            print(f"  The claim is {'' if certain else 'not '}certain.")
        if isinstance(hand, Scored):
            scores = add_points(self.rules, hand.hand.scores, hand.points)
            print(f"\n{describe_result(hand, self._name)}\nScore: {describe_scores(self.rules, scores, self._name)}.")
            if disputed_tricks(seat_view):
                self._offer_tricks(seat_view)
        if isinstance(after, MatchOver | ToDraw):
            self._announce_win(after)

    def _verdict(self, verdict: Verdict) -> str:
        """The ruling, with the cards that prove it and the rule."""
        accused = self._name(verdict.call.against)
        if verdict.ruling is None:
            return f"{accused} did nothing wrong."
        guilty = "You are guilty" if accused == YOU else f"{accused} is guilty"
        proof = f" ({format_cards(verdict.evidence)})" if verdict.evidence else ""
        announcement = announce(verdict.ruling, self.rules)
        return f"{guilty}{proof}. {announcement}\n  Rule: {cite(verdict.ruling, self.rules)}"

    def _announce_win(self, match: ToDraw | MatchOver) -> None:
        if self.rules.best_of > 1:
            print(f"Games: {describe_scores(self.rules, match.wins, self._name)}.")
        if isinstance(match, MatchOver):
            print(f"\n{self._winner(match.winner)} the match.")

    def _winner(self, side: Side | None) -> str:
        if side is None:
            return "It's a tie: no one wins"
        return f"{join_names(side, self._name)} {'win' if len(side) > 1 or side[0] is self.me else 'wins'}"

    def _name(self, seat: Seat) -> str:
        return YOU if seat is self.me else seat.full_name

    def _ask(self, question: str) -> str:
        answer = input(f"{question} ").strip()
        if answer.lower() in ("q", "quit"):
            raise Stopped
        return answer

    def _save(self) -> None:
        """Write the record so far."""
        if self.record is None:
            return
        others = {
            seat: RecordedPlayer(name=seat.full_name, kind="bot", version=bot.name) for seat, bot in self.bots.items()
        }
        players = others | {self.me: RecordedPlayer(name="You")}
        try:
            Path(self.record).write_text(dumps(Record(rules=self.rules, players=players, facts=tuple(self.facts))))
        except OSError as why:
            reason = (why.strerror or "it cannot be opened").lower()
            raise UnreadableFile("can't write the record: %(reason)s", path=self.record, reason=reason) from None


def in_order(view: View) -> tuple[Card, ...]:
    """The viewer's cards by suit, highest first, with the left bower in trump."""
    cards = [card for card in view.cards if card is not UNKNOWN]
    if view.contract is None:
        return tuple(sorted(cards, key=lambda card: (list(Suit).index(card.suit), -list(Rank).index(card.rank))))
    trump = view.contract.trump
    return tuple(card for suit in Suit for card in ranking(suit, trump) if card in cards)


def _choices(view: View) -> tuple[actions.Action, ...]:
    """The legal actions, cards in the order shown; the ways to lay away three cards are too many to list."""
    order = in_order(view)
    one_card = [
        action
        for action in view.legal
        if isinstance(action, actions.Play | actions.Bury) and isinstance(action.card, Card)
    ]
    if one_card:
        return tuple(sorted(one_card, key=lambda action: (isinstance(action, actions.Bury), order.index(action.card))))
    if view.phase in (Phase.ANSWERING, Phase.SETTLING, Phase.CLOSING):
        return view.legal
    return tuple(action for action in view.legal if not isinstance(action, (actions.LayAway, *_TALK)))


def _spoken(view: View) -> tuple[actions.Action, ...]:
    """What the person may say across the table."""
    return tuple(action for action in view.legal if isinstance(action, _TALK))


def _is_plain(hand: OpenState, call: actions.CallOut) -> bool:
    """Do the open cards prove the call?"""
    return not isinstance(hand, Playing | Closing) or evidence_for(hand, call)[0] is True


def _tidy(answer: str) -> str:
    """Normalize `jd`, `10 d`, `-9S` to the spelling of a hand line."""
    text = answer.replace(" ", "").replace("10", "t")
    cards = re.fullmatch(r"([-~]?)((?:[9tjqka][cdhs])+)", text.lower())
    if not cards:
        return text
    sign, names = cards.groups()
    return sign + "".join(names[at].upper() + names[at + 1] for at in range(0, len(names), 2))


def _open_hand(match: Match) -> OpenState:
    """The hand being played; there must be one."""
    assert isinstance(match, InGame)
    assert isinstance(match.game, InHand)
    return match.game.hand
