"""The plain table: one person among bots, in sentences and prompts."""

import random
import re
from contextlib import suppress
from pathlib import Path
from typing import Final

from leftbower.cli.tricks import last_trick, reenact_tricks
from leftbower.engine import (
    Action,
    Agree,
    Answering,
    Bury,
    CallOut,
    Claim,
    Closing,
    Correct,
    Deal,
    Disagree,
    Draw,
    Fact,
    InGame,
    InHand,
    LayAway,
    Match,
    MatchOver,
    Open,
    Phase,
    Play,
    Playing,
    Ready,
    Scored,
    Settle,
    Settling,
    ThrowIn,
    ToDeal,
    ToDraw,
    Verdict,
    View,
    apply,
    asked,
    deal_hand,
    disputed_tricks,
    draw_dealer,
    follow,
    legal_actions,
    new_match,
    told_certain,
    total,
    view,
)
from leftbower.engine.justice import found
from leftbower.errors import LeftbowerError, RuleViolation, UnknownPlayer, UnreadableFile
from leftbower.notation import (
    Player,
    Record,
    dumps,
    offer,
    pretty,
    read_word,
    tell,
    tell_score,
    tell_scores,
    word,
)
from leftbower.players.driving import calls_only, sees_all, talks
from leftbower.players.roster import player
from leftbower.rules import UNKNOWN, Card, HouseRules, Rank, Seat, Side, Suit, as_text, rule_card
from leftbower.rules.choices import Cut, Supervision
from leftbower.rules.tricks import ranking

HELP: Final = """You can type
  the number or the word of an act (p, o, h!, -9s), or a card (Jd, 10s)
  score   the score            last    the last trick, if the rules let you look at it
  tricks  in a dispute over a renege, go back through the tricks one by one
  talk    what you can call, claim or propose: then t1, t2, …
  hint    what the coach would do, and why
  rules   the rule card        any     let chance choose
  quit    stop here
"""


_NOTICED: Final = 0.3
"""How likely a player who has no mind of its own about it calls something that everybody can see."""
_TALK: Final = (CallOut, Claim, Correct, ThrowIn)
_ANSWERS: Final = (Agree, Disagree, Settle, Ready)


class Stopped(Exception):
    """The person has had enough."""


class PlainTable:
    """One match at a prompt: the facts so far, the person's seat and who sits in the others."""

    def __init__(
        self, rules: HouseRules, me: Seat, chance: random.Random, *, bots: str = "regular", record: str | None = None
    ) -> None:
        """`chance` shuffles and cuts; what the bots, the coach and `any` leave to chance has sources of its own."""
        rules.side_of(me)
        self.rules = rules
        self.me = me
        if sees_all(player(bots)):
            raise UnknownPlayer(f"{bots} sees every card, and is no guest at a table")
        self.bots = {seat: player(bots) for seat in rules.places if seat is not me}
        self.chance = chance
        self.chances = {seat: random.Random(chance.getrandbits(64)) for seat in rules.places}
        self.coach = chance.getrandbits(64)
        self.record = record
        self.facts: list[Fact] = []

    def run(self) -> bool:
        """Play to the end, or until the person stops; was it not broken off?"""
        self._save()
        print(f"You sit {self.me.full_name}. Type ? for help.\n")
        match: Match = new_match(self.rules)
        try:
            while not isinstance(match, MatchOver):
                fact = self._next(match)
                self.facts.append(fact)
                after = follow(match, fact)
                self._announce(match, fact, after)
                match = after
        except (Stopped, KeyboardInterrupt, EOFError) as why:
            print("\nStopped before the end.")
            return isinstance(why, Stopped)
        finally:
            self._save()
        return True

    def _next(self, match: ToDraw | InGame) -> Fact:
        """The next fact of the match: drawn and dealt by chance, done by the person or by a bot."""
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

    def _act(self, hand: Open) -> Action:
        """The next act or word of a hand: bots answer before the person is asked, and say what they have to say."""
        can = legal_actions(hand)
        seat = next((one.seat for one in can if isinstance(one, _ANSWERS) and one.seat is not self.me), asked(hand))
        said = None if isinstance(hand, Answering | Settling) else self._remark(hand, can)
        if said is not None:
            return said
        if seat is self.me:
            seat = hand.to_act  # a person who owes a card is not reminded of it
        if seat is self.me:
            return self._choose(hand)
        return self.bots[seat].act(view(hand, seat), self.chances[seat])

    def _remark(self, hand: Open, can: tuple[Action, ...]) -> Action | None:
        """What a bot says though nobody asked: its own words, or now and then what everybody can see."""
        called = [one for one in can if isinstance(one, CallOut) and one.seat is not self.me]
        last = hand.actions[-1].seat if hand.actions else None
        for seat, bot in self.bots.items():
            if talks(bot) and seat is not last and (called or not calls_only(bot)):
                said = bot.remark(view(hand, seat), self.chances[seat])
                if said is not None:
                    return said
        plain = [one for one in called if not talks(self.bots[one.seat]) and _is_plain(hand, one)]
        noticed = plain and self.chances[plain[0].seat].random() < _NOTICED
        return self.chances[plain[0].seat].choice(plain) if noticed else None

    def _offers_the_cut(self) -> bool:
        """At an honour table a dealer can forget it, where the rules demand it."""
        if self.rules.supervision is Supervision.STRICT or self.rules.deal_cut is Cut.NONE:
            return True
        return not self._ask("You deal. Offer the cut? Enter for yes, n for no:").lower().startswith("n")

    def _shuffled(self) -> list[Card]:
        deck = list(self.rules.deck)
        self.chance.shuffle(deck)
        return deck

    def _cut(self, offered: Cut, by: Seat) -> int:
        """How many cards the player to whom the cut is offered lifts; 0 for no cut."""
        if offered is Cut.NONE:
            return 0
        places = self.rules.places
        step = 1 if offered is Cut.LEFT else -1
        cutter = places[(places.index(by) + step) % len(places)]
        most = len(self.rules.deck) - 1
        if cutter is not self.me:
            return self.chance.choice((0, self.chance.randint(1, most)))
        while True:
            answer = self._ask(f"{self._name(by)} offers you the cut. Lift 1 to {most} cards, or Enter for none:")
            if not answer:
                return 0
            if answer.lower() == "any":
                return self.chances[self.me].randint(0, most)
            if answer.isdecimal() and 1 <= int(answer[:3]) <= most:
                return int(answer[:3])
            print(f"Write a number from 1 to {most}, or just press Enter.")

    def _choose(self, hand: Open) -> Action:
        """Show the person what they see and may do, and ask until they do something legal."""
        seen = view(hand, self.me)
        self._show(seen)
        while True:
            answer = self._ask(self._question(seen))
            try:
                action = self._read(answer, seen)
                if action is not None:
                    apply(hand, action)
                    return action
            except RuleViolation as why:
                print(f"No: {why.message}.")
            except LeftbowerError as why:
                print(f"{why.message}; ? for help.")

    def _read(self, answer: str, seen: View) -> Action | None:
        """The action an answer stands for, or None where it only asked for something."""
        choices = _choices(seen)
        if answer.isdecimal() and 1 <= int(answer[:3]) <= len(choices):
            return choices[int(answer[:3]) - 1]
        spoken = re.fullmatch(r"t(\d{1,3})", answer.lower())
        if spoken and 1 <= int(spoken[1]) <= len(_spoken(seen)):
            return _spoken(seen)[int(spoken[1]) - 1]
        match answer.lower():
            case "" | "?" | "help":
                print(HELP)
            case "any":
                return self.chances[self.me].choice(_choices(seen) or seen.legal)
            case "hint":
                self._hint(seen)
            case "score":
                print(f"{tell_scores(self.rules, seen.scores, self._name)}.")
            case "rules":
                print(as_text(rule_card(self.rules)))
            case "last":
                print(last_trick(seen, self._name))
            case "tricks":
                reenact_tricks(seen, self._name, self._ask)
            case "talk" | "call" | "claim" | "propose" | "correct":
                self._list(_spoken(seen), "t")
            case _:
                return self._read_act(answer, seen)
        return None

    def _hint(self, seen: View) -> None:
        """What the coach says; the same for the same view, however often one asks."""
        from leftbower.cli.hint import told
        from leftbower.players.coach import advise

        print("", *told(advise(seen, chance=random.Random(self.coach)), seen), "", sep="\n")

    def _read_act(self, answer: str, seen: View) -> Action:
        """An act by its word; cards may be written `jd`, `10d` or with gaps, and need no sign before them."""
        tidy = _tidy(answer)
        if seen.phase is Phase.PLAYING and not re.match(r"[-NESW*^<]", tidy):
            return Play(self.me, Card.parse(tidy))
        sign = {Phase.DISCARDING: "-", Phase.EXCHANGING_DUMMY: "-", Phase.FARMERS: "~"}.get(seen.phase, "")
        bare = len(tidy) > 1 and not tidy.startswith(sign)
        return read_word(f"{sign}{tidy}" if bare else tidy, self.me, seen.dealer)

    def _question(self, seen: View) -> str:
        if seen.phase is Phase.EXCHANGING_DUMMY:
            return "Lay away three cards, as in 9s 9h Tc:"
        return "Your choice:"

    def _show(self, seen: View) -> None:
        """What the person sees when asked."""
        trump = f" Trump is {seen.made.trump.name.lower()}." if seen.made else f" Up-card {seen.up_card.pretty}."
        if seen.trick and seen.leader:
            print(f"{self._name(seen.leader)} led: {pretty(seen.trick)}.")
        print(f"Your cards: {pretty(in_order(seen))}.{trump}")
        self._list(_choices(seen))
        if _spoken(seen) and seen.rules.supervision is Supervision.HONOUR:
            print("  (talk lists what you can call, claim or propose)")

    def _list(self, actions: tuple[Action, ...], mark: str = "") -> None:
        for number, action in enumerate(actions, 1):
            print(f"  {mark}{number}  {word(action):<5} {offer(action, self.rules)}")

    def _offer_tricks(self, seen: View) -> None:
        """After a hand in which a renege was called, let the person check the ruling before the next deal."""
        question = "A renege was called in this hand. Enter to go on, tricks to go back through the tricks:"
        with suppress(EOFError):
            while self._ask(question).lower() == "tricks":
                reenact_tricks(seen, self._name, self._ask)

    def _announce(self, before: Match, fact: Fact, after: Match) -> None:
        """Say what everybody saw."""
        match fact:
            case Draw():
                print(f"For the first deal {self._name(fact.shuffler)} turns {pretty(fact.cards)}:", end=" ")
                print(f"{self._name(fact.dealer)} deals.")
            case Deal():
                print(f"\n{self._name(fact.dealer)} deals and turns up {fact.up_card.pretty}.")
            case _:
                self._announce_act(before, fact, after)

    def _announce_act(self, before: Match, action: Action, after: Match) -> None:
        hand = apply(_open_hand(before), action)
        seen = view(hand, self.me)
        print(tell(seen.said[-1], self.rules, self._name) + ".")
        if seen.tricks and not seen.trick and isinstance(action, Play):
            print(f"  {self._name(seen.tricks[-1].winner)} takes the trick.")
        for verdict in seen.docket.verdicts[len(view(_open_hand(before), self.me).docket.verdicts) :]:
            print(f"  {self._verdict(verdict)}")
        certain = told_certain(hand) if isinstance(action, Claim) else None
        if certain is not None:
            print(f"  The claim is {'' if certain else 'not '}certain.")
        if isinstance(hand, Scored):
            scores = total(self.rules, hand.hand.scores, hand.points)
            print(f"\n{tell_score(hand, self._name)}\nScore: {tell_scores(self.rules, scores, self._name)}.")
            if disputed_tricks(seen):
                self._offer_tricks(seen)
        if isinstance(after, MatchOver | ToDraw):
            self._announce_win(after)

    def _verdict(self, verdict: Verdict) -> str:
        """The ruling, with the cards that prove it and the rule it rests on."""
        accused = self._name(verdict.call.against)
        if verdict.ruling is None:
            return f"{accused} did nothing wrong."
        proof = f" ({pretty(verdict.evidence)})" if verdict.evidence else ""
        return f"{accused} is guilty{proof}. {verdict.ruling.announcement}\n  Rule: {verdict.ruling.rule}"

    def _announce_win(self, match: ToDraw | MatchOver) -> None:
        if self.rules.best_of > 1:
            print(f"Games: {tell_scores(self.rules, match.wins, self._name)}.")
        if isinstance(match, MatchOver):
            print(f"\n{self._winner(match.winner)} the match.")

    def _winner(self, side: Side | None) -> str:
        if side is None:
            return "It is a tie: nobody wins"
        return " and ".join(map(self._name, side)) + (" win" if len(side) > 1 else " wins")

    def _name(self, seat: Seat) -> str:
        return f"{seat.full_name} (you)" if seat is self.me else seat.full_name

    def _ask(self, question: str) -> str:
        answer = input(f"{question} ").strip()
        if answer.lower() in ("q", "quit"):
            raise Stopped
        return answer

    def _save(self) -> None:
        """Keep the record as far as it has come."""
        if self.record is None:
            return
        others = {seat: Player(name=seat.full_name, kind="bot", version=bot.name) for seat, bot in self.bots.items()}
        players = others | {self.me: Player(name="You")}
        try:
            Path(self.record).write_text(dumps(Record(rules=self.rules, players=players, facts=tuple(self.facts))))
        except OSError as why:
            reason = (why.strerror or "it cannot be opened").lower()
            raise UnreadableFile(f"the record cannot be written: {reason}", place=self.record) from None


def in_order(seen: View) -> tuple[Card, ...]:
    """The viewer's cards suit by suit, each from the highest down, the left bower among the trumps."""
    cards = [card for card in seen.cards if card is not UNKNOWN]
    if seen.made is None:
        return tuple(sorted(cards, key=lambda card: (list(Suit).index(card.suit), -list(Rank).index(card.rank))))
    trump = seen.made.trump
    return tuple(card for suit in Suit for card in ranking(suit, trump) if card in cards)


def _choices(seen: View) -> tuple[Action, ...]:
    """What the person may do, cards in the order they are shown; threes to lay away are too many to list."""
    order = in_order(seen)
    one_card = [action for action in seen.legal if isinstance(action, Play | Bury) and isinstance(action.card, Card)]
    if one_card:
        return tuple(sorted(one_card, key=lambda action: (isinstance(action, Bury), order.index(action.card))))
    if seen.phase in (Phase.ANSWERING, Phase.SETTLING, Phase.CLOSING):
        return seen.legal
    return tuple(action for action in seen.legal if not isinstance(action, (LayAway, *_TALK)))


def _spoken(seen: View) -> tuple[Action, ...]:
    """What the person may say across the table."""
    return tuple(action for action in seen.legal if isinstance(action, _TALK))


def _is_plain(hand: Open, call: CallOut) -> bool:
    """Can everybody see that the call is right?"""
    return not isinstance(hand, Playing | Closing) or found(hand, call)[0] is True


def _tidy(answer: str) -> str:
    """`jd`, `10 d`, `-9S` as a hand line writes them."""
    text = answer.replace(" ", "").replace("10", "t")
    cards = re.fullmatch(r"([-~]?)((?:[9tjqka][cdhs])+)", text.lower())
    if not cards:
        return text
    sign, names = cards.groups()
    return sign + "".join(names[at].upper() + names[at + 1] for at in range(0, len(names), 2))


def _open_hand(match: Match) -> Open:
    """The hand being played; only asked while one is."""
    assert isinstance(match, InGame)
    assert isinstance(match.game, InHand)
    return match.game.hand
