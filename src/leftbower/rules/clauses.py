"""A rule set in plain English, clause by clause: the one place where rules become sentences.

A clause names the options it states, so that the card can say where each comes from, a diff can quote both
sides, and a ruling can cite the rule it rests on.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from leftbower.rules.choices import (
    AloneSaid,
    Bury,
    Claims,
    Correction,
    Cut,
    DealerDrawn,
    DealPattern,
    DefendAlone,
    Deviations,
    Event,
    FailureToDiscard,
    FarmersHand,
    FirstDealer,
    FirstLead,
    LookingBack,
    Misdeal,
    NobodyCalls,
    OutOfTurn,
    Participation,
    ScoreKept,
    Supervision,
    ThrowIns,
    WarningsFor,
    WarningsLast,
)
from leftbower.rules.house import HouseRules
from leftbower.rules.scoring import LONE_DEFENCE


@dataclass(frozen=True, slots=True)
class Clause:
    """A sentence or two of the rules, and the options they state; none where every table plays it so."""

    text: str
    options: tuple[str, ...] = ()


@lru_cache
def sections(rules: HouseRules) -> tuple[tuple[str, tuple[Clause, ...]], ...]:
    """The whole rules in the order people read them: each heading with its clauses."""
    written = ((heading, tuple(write(rules))) for heading, write in _SECTIONS)
    return tuple((heading, clauses) for heading, clauses in written if clauses)


def words(rules: HouseRules, *options: str) -> str:
    """What the rules say of these options, in the order of the card."""
    found = (clause for _, clauses in sections(rules) for clause in clauses)
    return " ".join(clause.text for clause in found if set(options) & set(clause.options))


def counted(number: int) -> str:
    """`1 point`, `2 points`."""
    return f"{number} point{'' if number == 1 else 's'}"


def number(value: int) -> str:
    """A small number as a word."""
    return _NUMBERS[value] if value < len(_NUMBERS) else str(value)


_NUMBERS: Final = (
    "no",
    "one",
    "two",
    "three",
    "four",
    "five",
    "six",
    "seven",
    "eight",
    "nine",
    "ten",
    "eleven",
    "twelve",
)


def _table(rules: HouseRules) -> Iterator[Clause]:
    yield Clause(
        {
            4: "Four play, two against two; partners sit across from each other.",
            3: "Three play, without partners: on each hand the other two defend together against the maker.",
            2: "Two play, one against the other.",
        }[rules.seats],
        ("seats",),
    )
    nines = rules.seats > 2
    yield Clause(
        "There are 24 cards, nine to ace in each suit."
        if nines
        else "There are 20 cards, ten to ace in each suit; the nines are left out."
    )
    yield Clause(
        "In trump the right bower (jack of trump) is highest, then the left bower (the other jack of that colour), "
        f"then ace, king, queen, ten{', nine' if nines else ''}. The left bower is a trump in every way; "
        "it no longer belongs to the suit printed on it."
    )
    yield Clause(f"The other suits rank ace, king, queen, jack, ten{', nine' if nines else ''}.")
    yield Clause(
        {
            Supervision.STRICT: "At a leftbower table wrong plays are refused; at a real table the players see to it.",
            Supervision.HONOUR: "Played on honour: a wrong play stands until an opponent notices and calls it.",
        }[rules.supervision],
        ("supervision",),
    )
    yield Clause(
        {
            Deviations.HOST_DECIDES: "Whoever hosts the table may change a rule before play starts.",
            Deviations.EVERYONE_AGREES: "A change to these rules needs everyone's agreement before play starts.",
        }[rules.deviations],
        ("deviations",),
    )


def _deal(rules: HouseRules) -> Iterator[Clause]:
    jack = {FirstDealer.FIRST_JACK: "first jack", FirstDealer.FIRST_BLACK_JACK: "first black jack"}[rules.first_dealer]
    yield Clause(
        "To choose the first dealer, shuffle and deal cards face up, one to each player in turn; "
        f"whoever gets the {jack} deals.",
        ("first_dealer",),
    )
    if rules.draw_cut is Cut.NONE:
        yield Clause("No cut is offered before the draw for the first dealer.", ("draw_cut",))
    else:
        yield Clause(
            f"Before the draw for the first dealer the cut is offered to the player on the {rules.draw_cut}.",
            ("draw_cut",),
        )
    yield Clause(
        {
            DealerDrawn.EACH_GAME: "The first dealer is drawn anew for each game.",
            DealerDrawn.EACH_MATCH: "The first dealer is drawn once for the whole match.",
        }[rules.dealer_drawn],
        ("dealer_drawn",),
    )
    yield Clause(f"After each hand the deal passes to the {rules.deal_passes}.", ("deal_passes",))
    if rules.deal_cut is Cut.NONE:
        yield Clause("No cut is offered before a deal.", ("deal_cut",))
    else:
        yield Clause(
            f"Before each deal the dealer must offer the cut to the player on the {rules.deal_cut}, who cuts once or "
            "not at all and puts the two parts back together.",
            ("deal_cut",),
        )
    packets = {
        DealPattern.ONES: "one at a time",
        DealPattern.TWO_THREE: "two to each player, then three",
        DealPattern.EITHER_ORDER: "two to each player and then three, or three and then two",
        DealPattern.BUNDLES: "in packets of two and three as the dealer likes",
    }[rules.deal_pattern]
    yield Clause(f"Everyone gets five cards, from the dealer's left round the table, {packets}.", ("deal_pattern",))
    dummy = "Then three cards go face down to the dummy. " if rules.dummy_size else ""
    yield Clause(
        f"{dummy}The {number(rules.kitty_size)} cards left are the kitty; its top card, the up-card, is turned up."
    )
    yield Clause(
        "No cut offered where one is due, or a wrong number of cards, is a misdeal: "
        + {
            Misdeal.SAME_DEALER: "the same dealer deals again.",
            Misdeal.DEAL_PASSES: "before the up-card is turned the dealer may start over; "
            "after that the deal is lost and the next player deals.",
        }[rules.misdeal],
        ("misdeal",),
    )
    yield Clause(
        {
            FarmersHand.OFF: "A hand of nines and tens is played like any other.",
            FarmersHand.REDEAL: "Before the first call a player dealt nothing but nines and tens may show them; "
            "the same dealer then deals again.",
            FarmersHand.SWAP: "Before the first call one player a hand may show three nines or tens and change them "
            "for the three closed cards of the kitty.",
        }[rules.farmers_hand],
        ("farmers_hand",),
    )


def _bidding(rules: HouseRules) -> Iterator[Clause]:
    yield Clause(
        "From the dealer's left, each player in turn passes or makes the up-card's suit trump; the dealer speaks last. "
        "Whoever makes trump is the maker."
    )
    if rules.natural_trump:
        yield Clause(
            "The dealer may take the bid in this round only with a natural trump: a dealt card printed in the "
            "up-card's suit. The left bower is not one, nor is the up-card itself.",
            ("natural_trump",),
        )
    else:
        yield Clause("The dealer may take the bid whatever cards were dealt.", ("natural_trump",))
    if rules.partner_orders_alone:
        yield Clause(
            "The dealer's partner may order the up-card up only to play alone; the dealer then sits out, "
            "after taking the up-card and discarding.",
            ("partner_orders_alone",),
        )
    elif rules.seats == 4:
        yield Clause("The dealer's partner may order the up-card up like anybody else.", ("partner_orders_alone",))
    yield Clause(
        {
            Bury.AFTER_TAKING: "Whoever ordered it up, the dealer takes the up-card, then discards a card face down.",
            Bury.BEFORE_TAKING: "Whoever ordered it up, the dealer discards a card face down, "
            "then takes the up-card in its place.",
        }[rules.bury],
        ("bury",),
    )
    yield Clause(
        "The up-card itself may be discarded."
        if rules.up_card_buried
        else "The discard must be another card than the up-card.",
        ("up_card_buried",),
    )
    yield Clause(
        "If all pass, the up-card is turned down and there is a second round: each player in turn passes or names "
        "a suit. The suit turned down may not be named."
    )
    yield Clause(
        {
            NobodyCalls.STICK_THE_DEALER: "If the others pass again, the dealer must name a suit.",
            NobodyCalls.PASS_OUT: "If all pass again, the hand is passed out: nobody scores and the next player deals.",
        }[rules.nobody_calls],
        ("nobody_calls",),
    )


def _alone(rules: HouseRules) -> Iterator[Clause]:
    if rules.seats == 4:
        yield Clause("Only the maker may go alone. The partner then lays the cards face down and takes no part.")
    else:
        yield Clause(
            "The maker goes alone, never seeing the dummy, or must take its three cards and lay away any three. "
            "The dealer takes the up-card and discards before that, and touching the dummy ends the right to go alone."
        )
    yield Clause(
        {
            AloneSaid.WITH_THE_CALL: "Alone is said together with the call.",
            AloneSaid.BEFORE_THE_LEAD: "Alone may be said at any time before the first card is led."
            if rules.seats == 4
            else "Alone may be said until the dummy is touched.",
        }[rules.alone_said],
        ("alone_said",),
    )
    if rules.defend_alone is not DefendAlone.OFF:
        when = {DefendAlone.AGAINST_A_LONER: "Against a lone maker a", DefendAlone.ALWAYS: "A"}[rules.defend_alone]
        yield Clause(
            f"{when} defender may also play alone. The defenders are asked from the dealer's left, and the first "
            "to say so has it.",
            ("defend_alone",),
        )
    elif rules.seats == 4:
        yield Clause("Nobody may defend alone.", ("defend_alone",))


def _play(rules: HouseRules) -> Iterator[Clause]:
    yield Clause(
        {
            FirstLead.DEALERS_LEFT: "The player on the dealer's left leads to the first trick, against a lone hand too"
            + ("; if that player sits out, the next one leads." if rules.seats == 4 else "."),
            FirstLead.LONERS_LEFT: "The player on the dealer's left leads to the first trick; when somebody plays "
            "alone, the first player taking part on the loner's left does.",
        }[rules.first_lead],
        ("first_lead",),
    )
    yield Clause(
        "Everyone must follow the suit led if able; otherwise any card may be played. The highest trump takes the "
        "trick, or with no trump in it the highest card of the suit led, and its player leads to the next."
    )
    yield Clause(
        "Tricks are kept face down. "
        + {
            LookingBack.NOBODY: "Nobody may look at them again.",
            LookingBack.TRICK_WINNER: "Only the winner of the last trick may look at it again, before leading.",
            LookingBack.EVERYONE: "Anybody may look at the last trick again until the next card is led.",
        }[rules.looking_back],
        ("looking_back",),
    )
    yield Clause(
        "To settle whether somebody reneged, everyone may go back through the tricks."
        if rules.disputes_open_tricks
        else "A disputed renege is judged from the cards on the table; the tricks are not opened to everyone.",
        ("disputes_open_tricks",),
    )
    yield Clause(
        {
            Claims.ON_LEAD: f"{_who_claims(rules)} who holds only certain winners may lay them down together. "
            "If anyone disagrees, they stay face up and are led one at a time.",
            Claims.OFF: "Cards are led one at a time, certain winners too.",
        }[rules.claims],
        ("claims",),
    )
    if rules.claims is not Claims.OFF:
        yield Clause(
            "The table says whether winners laid down together are certain."
            if rules.claims_judged
            else "Whether winners laid down together are certain is for the players to judge.",
            ("claims_judged",),
        )
    yield Clause(
        {
            ThrowIns.BY_AGREEMENT: "A hand may be thrown in, and scored without being played out, "
            "when all who take part agree that its outcome is certain.",
            ThrowIns.ENCOURAGED: "To save time, players are encouraged to throw in their cards, on lead or not, as "
            "soon as the outcome is obvious; all who take part must agree.",
            ThrowIns.OFF: "Every hand is played out.",
        }[rules.throw_ins],
        ("throw_ins",),
    )


def _scoring(rules: HouseRules) -> Iterator[Clause]:
    makers, others = ("makers", "the other side scores") if rules.seats == 4 else ("maker", "each defender scores")
    if rules.seats == 2:
        others = "the defender scores"
    score = "score" if rules.seats == 4 else "scores"
    yield Clause(
        f"The {makers} {score} {counted(rules.made)} for three or four tricks and {rules.march} for all five, a march.",
        ("made", "march"),
    )
    yield Clause(
        f"A maker who goes alone scores {counted(rules.alone_made)} for three or four tricks "
        f"and {rules.alone_march} for all five.",
        ("alone_made", "alone_march"),
    )
    yield Clause(
        f"With fewer than three tricks the {makers} {_are(rules)} euchred and {others} {rules.euchre}.", ("euchre",)
    )
    yield Clause(f"When a lone maker is euchred, {others} {rules.euchre_alone}.", ("euchre_alone",))
    if rules.defend_alone is not DefendAlone.OFF:
        yield Clause(f"A euchre by a defender who stood alone scores {LONE_DEFENCE}, never more.", ("defend_alone",))


def _irregularities(rules: HouseRules) -> Iterator[Clause]:
    yield Clause(_renege(rules), ("renege_points", "renege_points_alone"))
    if rules.renege_warnings:
        free = (
            "The first renege" if rules.renege_warnings == 1 else f"The first {number(rules.renege_warnings)} reneges"
        )
        yield Clause(
            f"{free} only get{'s' if rules.renege_warnings == 1 else ''} a warning, and the play stands.",
            ("renege_warnings",),
        )
        yield Clause(
            {
                WarningsFor.PLAYER: "Warnings are counted for each player.",
                WarningsFor.SIDE: "Warnings are counted for each side.",
            }[rules.warnings_for],
            ("warnings_for",),
        )
        yield Clause(
            {
                WarningsLast.GAME: "Warnings last for one game.",
                WarningsLast.MATCH: "Warnings last for the whole match.",
            }[rules.warnings_last],
            ("warnings_last",),
        )
    else:
        yield Clause("There is no warning first.", ("renege_warnings",))
    yield Clause(
        {
            Correction.NEVER: "A renege cannot be put right without cost.",
            Correction.OWN_ACCORD: "A player who owns up and puts a renege right before anyone has called it, and "
            "before the last trick is complete, pays nothing.",
            Correction.EVEN_WHEN_CALLED: "A renege put right before the last trick is complete costs nothing, "
            "even if an opponent called it first.",
        }[rules.correction],
        ("correction",),
    )
    yield Clause(
        {
            OutOfTurn.TAKEN_BACK: "A card played out of turn is taken back.",
            OutOfTurn.AS_RENEGE: "A play out of turn is treated like a renege.",
        }[rules.out_of_turn],
        ("out_of_turn",),
    )
    yield Clause(
        {
            FailureToDiscard.TABLE_WAITS: "If the dealer forgets to discard, the table waits for it.",
            FailureToDiscard.PENALTY: "A dealer who plays a first card without having discarded "
            f"has failed to discard: {_gives_away(rules)}.",
        }[rules.failure_to_discard],
        ("failure_to_discard",),
    )
    yield Clause(
        "The opponents alone may waive the penalty for a renege or a play out of turn, or ask for less."
        if rules.waiver
        else "Penalties are not waived or lessened.",
        ("waiver",),
    )
    yield Clause(
        "A penalty ends the hand and takes the place of its score."
        if rules.penalty_ends_hand
        else "A penalty is scored at once, and the hand is played on and scored as well.",
        ("penalty_ends_hand",),
    )
    yield Clause(
        f"Calling an irregularity that was none gives the accused side {counted(rules.wrong_call)}."
        if rules.wrong_call
        else "Calling an irregularity that was none costs nothing.",
        ("wrong_call",),
    )


def _match(rules: HouseRules) -> Iterator[Clause]:
    whoever = {4: "side", 3: "player", 2: "player"}[rules.seats]
    if rules.fixed_hands is not None:
        yield Clause(
            f"A game lasts {number(rules.fixed_hands)} hands; the higher score wins, and a level end is a tie.",
            ("game_ends",),
        )
    elif rules.seats == 3:
        yield Clause(
            f"The game ends when one player alone has the highest score and it is at least {rules.target}.",
            ("target", "game_ends"),
        )
    else:
        yield Clause(f"The first {whoever} to reach {counted(rules.target)} wins the game.", ("target", "game_ends"))
    if rules.fixed_hands is None:
        yield Clause(
            "A game need not be won by two points." if rules.win_by == 1 else "A game must be won by two points.",
            ("win_by",),
        )
    if rules.best_of == 1:
        yield Clause("A match is one game.", ("best_of",))
    else:
        won = (rules.best_of + 1) // 2
        yield Clause(f"A match is the best of {number(rules.best_of)} games: {number(won)} wins take it.", ("best_of",))
    if rules.fixed_hands is not None and rules.best_of > 1:
        yield Clause("A game that ends level is decided by one more hand.")
    if rules.score_kept is ScoreKept.FOURS_AND_SIXES:
        yield Clause(
            "Each side keeps its score with a four and a six, hearts for one side and spades for the other.",
            ("score_kept",),
        )


def _event(rules: HouseRules) -> Iterator[Clause]:
    if rules.event is Event.ROUND_ROBIN:
        yield Clause("The event is a round robin: every team meets every other team once.", ("event",))
    if rules.event is Event.SCHOOL_GROUPS:
        yield Clause(
            "Two schools meet in groups of four, a team of two from each; a group plays one match.", ("event",)
        )
        yield Clause(
            f"In all, {counted(rules.event_points)} {'is' if rules.event_points == 1 else 'are'} shared equally among "
            "the match-ups; each goes to its winner's school.",
            ("event_points",),
        )
        yield Clause(
            {
                Participation.NONE: "There is nothing for taking part.",
                Participation.TENTH_PER_TEAM: "A school also gets a tenth of a point for each team it entered.",
                Participation.SHARED_POOL: "A tenth of the event's points is shared by the schools "
                "according to the teams they entered.",
            }[rules.participation],
            ("participation",),
        )
    if rules.co_ed:
        yield Clause("The event is co-ed.", ("co_ed",))
    if rules.gift_cards:
        prizes = ", ".join(f"${amount}" for amount in rules.gift_cards)
        yield Clause(f"Prizes, from first place down: gift cards of {prizes}.", ("gift_cards",))


_SECTIONS: Final = (
    ("The table", _table),
    ("Deal", _deal),
    ("Bidding", _bidding),
    ("Alone", _alone),
    ("Play", _play),
    ("Scoring", _scoring),
    ("Irregularities", _irregularities),
    ("Match", _match),
    ("Event", _event),
)


def _who_claims(rules: HouseRules) -> str:
    return "A player, on lead or not," if rules.throw_ins is ThrowIns.ENCOURAGED else "A player on lead"


def _are(rules: HouseRules) -> str:
    return "are" if rules.seats == 4 else "is"


def _renege(rules: HouseRules) -> str:
    warned = "after a warning, " if rules.renege_warnings else ""
    return f"Not following suit when able is a renege: {warned}{_gives_away(rules)}."


def _gives_away(rules: HouseRules) -> str:
    """Who scores what by a penalty, as half a sentence."""
    if rules.renege_points == rules.renege_points_alone:
        cost = f"{counted(rules.renege_points)}, also when somebody plays alone"
    else:
        cost = f"{counted(rules.renege_points)}, or {rules.renege_points_alone} when somebody plays alone"
    return {
        4: f"the other side scores {cost}",
        3: f"each defender scores {cost}; if a defender did it, only the maker scores that",
        2: f"the other player scores {cost}",
    }[rules.seats]
