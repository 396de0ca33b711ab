"""A rule set in plain English, clause by clause: the only place where rules become sentences.

A clause names the options it states, so that the card can give the source of each, a diff can quote both sides, and a
ruling can cite its rule. It states as few options as possible: what a sheet says and what it leaves to us are separate
clauses.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from leftbower.rules import choices
from leftbower.rules.house import HouseRules
from leftbower.rules.options import Group
from leftbower.rules.scoring import LONE_DEFENSE_POINTS


@dataclass(frozen=True, slots=True)
class Clause:
    """A sentence or two of the rules, and the options they state; none if every table plays it that way."""

    text: str
    options: tuple[str, ...] = ()
    common: str = ""
    """The name of a rule that all sheets play, by which a preset can say that its own sheet doesn't state it."""
    ours: bool = False
    """Is it our reading, which no sheet states?"""


@lru_cache
def sections(rules: HouseRules) -> tuple[tuple[str, tuple[Clause, ...]], ...]:
    """All rules in reading order: each heading with its clauses."""
    written = ((heading, tuple(write(rules))) for heading, write in _SECTIONS.items())
    return tuple((heading, clauses) for heading, clauses in written if clauses)


def clause_text(rules: HouseRules, *options: str) -> str:
    """What the rules say about these options, in the order of the card."""
    clauses_in_order = (clause for _, clauses in sections(rules) for clause in clauses)
    return " ".join(clause.text for clause in clauses_in_order if set(options) & set(clause.options))


def sentence(rules: HouseRules, option: str) -> str:
    """What the rules say about one option, even if the card needs no clause for it."""
    return clause_text(rules, option) or _sentence_without_clause(rules, option)


def format_points(number: int) -> str:
    """`1 point`, `2 points`."""
    return f"{number} point{'' if number == 1 else 's'}"


def number_word(value: int) -> str:
    """A small number as a word."""
    return _NUMBERS[value] if value < len(_NUMBERS) else str(value)


_NUMBERS: Final = (
    *("no", "one", "two", "three", "four", "five", "six"),
    *("seven", "eight", "nine", "ten", "eleven", "twelve"),
)


def _chosen(rules: HouseRules, option: str, **sentences: str) -> Clause:
    """The clause of an option with one sentence per value, by the name of the enum member."""
    return Clause(sentences[getattr(rules, option).name], (option,))


def _table(rules: HouseRules) -> Iterator[Clause]:
    yield Clause(
        {
            4: "Four play, two against two.",
            3: "Three play, without partners: on each hand the other two defend together against the maker.",
            2: "Two play, one against the other.",
        }[rules.players],
        ("players",),
    )
    if rules.players == 4:
        yield Clause("Partners sit across from each other.", common="partners-opposite")
    nines = rules.players > 2
    yield Clause(
        "There are 24 cards, nine to ace in each suit."
        if nines
        else "There are 20 cards, ten to ace in each suit; the nines are left out.",
        common="deck",
    )
    yield Clause(
        "In trump the right bower (jack of trump) is highest, then the left bower (the other jack of that color), "
        f"then ace, king, queen, ten{', nine' if nines else ''}. The left bower is a trump in every way; "
        "it no longer belongs to the suit printed on it."
    )
    yield Clause(f"The other suits rank ace, king, queen, jack, ten{', nine' if nines else ''}.", common="plain-suits")
    yield _chosen(
        rules,
        "supervision",
        STRICT="At a leftbower table a wrong play is refused; at a real table the players watch for it.",
        HONOR=f"Played on honor: a wrong play stands until {_other(rules, 'an opponent')} notices and calls it.",
    )
    yield _chosen(
        rules,
        "deviations",
        HOST_DECIDES="The host of the table may change a rule before play starts.",
        EVERYONE_AGREES="A change to these rules needs everyone's agreement before play starts.",
    )


def _deal(rules: HouseRules) -> Iterator[Clause]:
    jack = str(rules.first_dealer).replace("-", " ")
    yield Clause(
        "To choose the first dealer, shuffle and deal cards face up, one to each player in turn; "
        f"the player who gets the {jack} deals.",
        ("first_dealer",),
    )
    if rules.draw_cut is choices.Cut.NONE:
        yield Clause("No cut is offered before the draw for the first dealer.", ("draw_cut",))
    else:
        cutter = _other(rules, f"the player on the shuffler's {rules.draw_cut}")
        yield Clause(f"Before the draw for the first dealer the cut is offered to {cutter}.", ("draw_cut",))
    yield _chosen(
        rules,
        "dealer_draw",
        EACH_GAME="There is a new draw for each game.",
        EACH_MATCH="There is one draw for the whole match.",
    )
    next_dealer = "other player" if rules.players == 2 else str(rules.deal_passes)
    yield Clause(f"After each hand the deal passes to the {next_dealer}.", ("deal_passes",))
    if rules.deal_cut is choices.Cut.NONE:
        yield Clause("No cut is offered before a deal.", ("deal_cut",))
    else:
        cutter = _other(rules, f"the player on the {rules.deal_cut}")
        yield Clause(
            f"Before each deal the dealer must offer the cut to {cutter}, who cuts once or not at all and puts the two "
            "parts back together.",
            ("deal_cut",),
        )
    yield Clause("Everyone gets five cards.")
    yield Clause(
        "The dealer deals to the other player first."
        if rules.players == 2
        else "The cards are dealt from the dealer's left around the table.",
        common="deal-order",
    )
    yield _chosen(
        rules,
        "deal_pattern",
        ONES="The cards are dealt one at a time.",
        TWO_THREE="The cards are dealt two to each player, then three.",
        EITHER_ORDER="The cards are dealt two to each player and then three, or three and then two.",
        BUNDLES="The cards are dealt in bundles of two or three.",
    )
    if rules.dummy_size:
        yield Clause("Three more cards are dealt as a dummy hand.")
        yield Clause("The dummy is dealt after the players' cards and lies face down.", ours=True)
    yield Clause(
        f"The {number_word(rules.kitty_size)} cards left are the kitty; its top card, the up-card, is turned up."
    )
    yield from _misdeal(rules)
    if rules.players > 2:
        yield _chosen(
            rules,
            "farmers_hand",
            OFF="A hand of nines and tens is played like any other.",
            REDEAL="Before the first call a player dealt nothing but nines and tens may show them; "
            "the same dealer then deals again.",
            SWAP="Before the first call one player a hand may show three nines or tens and change "
            "them for the three closed cards of the kitty.",
        )


def _misdeal(rules: HouseRules) -> Iterator[Clause]:
    due = rules.deal_cut is not choices.Cut.NONE
    yield Clause(
        f"{'No cut offered, or a wrong number of cards dealt,' if due else 'A wrong number of cards dealt'} "
        "is a misdeal: "
        + {
            choices.Misdeal.SAME_DEALER: "the same dealer deals again.",
            choices.Misdeal.DEAL_PASSES: "before the up-card is turned the dealer may start over; "
            "after that the deal is lost and the next player deals.",
        }[rules.misdeal],
        ("misdeal",),
    )
    if due:
        yield _chosen(
            rules,
            "missing_cut",
            UNTIL_PLAYED="A missing cut can be called until the hand has been played.",
            BEFORE_THE_FIRST_CALL="A missing cut can be called only before the first call.",
        )


def _bidding(rules: HouseRules) -> Iterator[Clause]:
    first = "In turn, each player" if rules.players == 2 else "From the dealer's left, each player in turn"
    others_pass = "the other player passes" if rules.players == 2 else "the others pass"
    yield Clause(
        f"{first} passes or orders the up-card up, which makes its suit trump; "
        "the dealer speaks last. The player who makes trump is the maker."
    )
    if rules.natural_trump:
        yield Clause(
            "In the first round the dealer may make trump only with a natural trump: a dealt card printed in the "
            "up-card's suit. The left bower is not one, nor is the up-card itself.",
            ("natural_trump",),
        )
    else:
        yield Clause("The dealer may make the up-card's suit trump whatever cards were dealt.", ("natural_trump",))
    if rules.partner_orders_alone:
        yield Clause(
            "The dealer's partner may order the up-card up only to play alone; the dealer then sits out, "
            "after taking the up-card and discarding.",
            ("partner_orders_alone",),
        )
    elif rules.players == 4:
        yield Clause("The dealer's partner may order the up-card up like any other player.", ("partner_orders_alone",))
    yield _chosen(
        rules,
        "bury",
        AFTER_TAKING="If any player orders the up-card up, the dealer takes it, then discards a card.",
        BEFORE_TAKING="If any player orders the up-card up, the dealer discards a card, "
        "then takes the up-card in its place.",
    )
    yield Clause("The discard lies face down.", common="discard-face-down")
    yield Clause(
        "The up-card itself may be discarded."
        if rules.may_bury_up_card
        else "The discard must be another card than the up-card.",
        ("may_bury_up_card",),
    )
    yield Clause(
        "If all pass, the up-card is turned down and there is a second round: each player in turn passes or names "
        "another suit as trump. The suit turned down may not be named."
    )
    yield _chosen(
        rules,
        "nobody_calls",
        STICK_THE_DEALER=f"If {others_pass} again, the dealer must name a suit.",
        PASS_OUT="If all pass again, the hand is passed out: nobody scores and the next player deals.",
    )


def _alone(rules: HouseRules) -> Iterator[Clause]:
    if rules.players == 4:
        maker = "Only the maker" if rules.defend_alone is choices.LoneDefense.OFF else "The maker"
        yield Clause(f"{maker} may go alone; the partner then takes no part in the hand.")
        yield Clause("The partner's cards are laid face down.", common="partners-cards")
    else:
        yield Clause(
            "The maker goes alone without ever looking at the dummy, or takes its three cards and discards any three. "
            "A dealer who makes the up-card's suit trump takes the up-card and discards before touching the dummy."
        )
        yield Clause(
            "The dealer takes the up-card and discards before the dummy is touched, also when another player is the "
            "maker.",
            ours=True,
        )
    yield _chosen(
        rules,
        "going_alone",
        WITH_THE_CALL="Alone is said together with the call that makes trump.",
        BEFORE_THE_LEAD="Alone may be said with the call that makes trump, or later, until "
        f"{'the first card is led' if rules.players == 4 else 'the dummy is touched'}.",
    )
    if rules.defend_alone is not choices.LoneDefense.OFF:
        when = "A" if rules.defend_alone is choices.LoneDefense.ALWAYS else "Against a lone maker a"
        yield Clause(
            f"{when} defender may also play alone. The defenders are asked from the dealer's left, and the first "
            "to say so has it.",
            ("defend_alone",),
        )
    elif rules.players == 4:
        yield Clause("Nobody may defend alone.", ("defend_alone",))


def _play(rules: HouseRules) -> Iterator[Clause]:
    eldest = "The player who did not deal" if rules.players == 2 else "The player on the dealer's left"
    loners_left = "the defender" if rules.players == 2 else "the player on the loner's left"
    yield _chosen(
        rules,
        "first_lead",
        DEALERS_LEFT=f"{eldest} leads to the first trick, against a lone hand too.",
        LONERS_LEFT=f"{eldest} leads to the first trick; on a lone hand {loners_left} does.",
    )
    if rules.players == 4:
        yield Clause("If the player who should lead first sits out, the next one leads.", ours=True)
    yield Clause(
        "Each player in turn plays one card to the trick, and must follow the suit led if able; otherwise any card may "
        "be played. The highest trump takes the trick, or with no trump in it the highest card of the suit led."
    )
    yield Clause("A player who takes a trick leads to the next.", common="winner-leads")
    yield Clause(
        "Tricks are kept face down. "
        + {
            choices.LookingBack.NOBODY: "Nobody may look at them again.",
            choices.LookingBack.TRICK_WINNER: "Only the winner of the last trick may look at it again, before leading.",
            choices.LookingBack.EVERYONE: "Anybody may look at the last trick again until the next card is led.",
        }[rules.looking_back],
        ("looking_back",),
    )
    yield Clause(
        "To settle whether a player reneged, everyone may go back through the tricks."
        if rules.disputes_open_tricks
        else "The tricks stay closed when it is disputed whether a player reneged.",
        ("disputes_open_tricks",),
    )
    yield Clause(
        "A renege in an earlier trick is proven when the player later plays or shows a card of the suit that was led "
        "to it.",
        ours=True,
    )
    yield from _claims(rules)
    yield _chosen(
        rules,
        "throw_ins",
        BY_AGREEMENT="A hand may be thrown in, and scored without being played out, "
        f"when {'both players' if rules.players == 2 else 'all who take part'} agree that its outcome is certain.",
        ENCOURAGED="To save time, players are encouraged to throw in their cards, on lead or not, as "
        "soon as the outcome is obvious.",
        OFF="Every hand is played out.",
    )
    if rules.throw_ins is choices.ThrowIns.ENCOURAGED:
        yield Clause("All who take part must agree to a throw-in.", ours=True)


def _claims(rules: HouseRules) -> Iterator[Clause]:
    if rules.claims is choices.Claims.OFF:
        yield Clause("Cards are played one at a time, certain winners too.", ("claims",))
        return
    player = "A player, on lead or not," if rules.throw_ins is choices.ThrowIns.ENCOURAGED else "A player on lead"
    yield Clause(f"{player} who holds only certain winners may lay them all down at once.", ("claims",))
    yield _chosen(
        rules,
        "claim_consent",
        ALL_AGREE=f"If {'the other player' if rules.players == 2 else 'anyone'} disagrees that cards "
        "laid down at once are certain winners, they are led one at a time.",
        NOT_NEEDED="Laying down certain winners needs no consent.",
    )
    if rules.claim_consent is choices.ClaimConsent.NOT_NEEDED:
        yield Clause("If cards laid down at once are disputed, they are played one at a time.", ours=True)
    else:
        yield Clause(
            "The table says whether winners laid down at once are certain."
            if rules.judge_claims
            else "Whether winners laid down at once are certain is for the players to judge.",
            ("judge_claims",),
        )
    yield Clause("Cards once laid down stay face up.", ours=True)


def _scoring(rules: HouseRules) -> Iterator[Clause]:
    makers = "maker's side" if rules.players == 4 else "maker"
    others = {4: "the other side scores", 3: "each defender scores", 2: "the defender scores"}[rules.players]
    yield Clause(
        f"The {makers} scores {format_points(rules.made_points)} for three or four tricks "
        f"and {rules.march_points} for all five, a march.",
        ("made_points", "march_points"),
    )
    yield Clause(
        f"A maker who goes alone scores {format_points(rules.made_points_alone)} for three or four tricks "
        f"and {rules.march_points_alone} for all five.",
        ("made_points_alone", "march_points_alone"),
    )
    yield Clause(
        f"With fewer than three tricks the {makers} is euchred and {others} {rules.euchre_points}.", ("euchre_points",)
    )
    yield Clause(f"When a lone maker is euchred, {others} {rules.euchre_points_alone}.", ("euchre_points_alone",))
    if rules.defend_alone is not choices.LoneDefense.OFF:
        yield Clause(
            f"A euchre by a defender who stood alone scores {LONE_DEFENSE_POINTS}, never more.", ("defend_alone",)
        )


def _irregularities(rules: HouseRules) -> Iterator[Clause]:
    yield Clause(_renege(rules), ("renege_points",))
    yield _renege_alone(rules)
    if rules.renege_warnings:
        count = rules.renege_warnings
        free = "The first renege gets" if count == 1 else f"The first {number_word(count)} reneges get"
        yield Clause(f"{free} only a warning.", ("renege_warnings",))
        yield Clause("After a warning the play stands.", ours=True)
        yield _chosen(
            rules,
            "warnings_for",
            PLAYER="Warnings are counted for each player.",
            SIDE="Warnings are counted for each side.",
        )
        yield _chosen(
            rules,
            "warnings_last",
            GAME="Warnings last for one game.",
            MATCH="Warnings last for the whole match.",
        )
    else:
        yield Clause(_NO_WARNING, ("renege_warnings",))
    wrong = "renege or a play out of turn" if rules.out_of_turn is choices.OutOfTurn.AS_RENEGE else "renege"
    yield _chosen(
        rules,
        "correction",
        NEVER=f"A {wrong} cannot be corrected without cost.",
        UNLESS_CALLED=f"A {wrong} costs nothing if the player corrects it before it is called, "
        "and before the last trick is complete.",
        EVEN_WHEN_CALLED=f"A {wrong} corrected before the last trick is complete costs nothing, "
        f"even if {_other(rules, 'an opponent')} called it first.",
    )
    yield _chosen(
        rules,
        "out_of_turn",
        TAKEN_BACK="A card played out of turn is taken back.",
        AS_RENEGE="A play out of turn is treated like a renege.",
    )
    yield _chosen(
        rules,
        "failure_to_discard",
        TABLE_WAITS="If the dealer forgets to discard, the table waits for the discard.",
        PENALTY="A dealer who plays a first card without having discarded has failed to discard; "
        "the penalty is the same as for a renege.",
    )
    yield Clause(
        f"Only {_other(rules, 'the opponents')} may waive the penalty for a {wrong}, or ask for less."
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
        f"Calling an irregularity that did not happen gives the accused {format_points(rules.wrong_call_points)}."
        if rules.wrong_call_points
        else "Calling an irregularity that did not happen costs nothing.",
        ("wrong_call_points",),
    )


def _match(rules: HouseRules) -> Iterator[Clause]:
    if rules.fixed_hands is not None:
        yield Clause(
            f"A game lasts {number_word(rules.fixed_hands)} hands; the higher score wins, and a level end is a tie.",
            ("game_ends",),
        )
    else:
        side = "side" if rules.players == 4 else "player"
        yield Clause(f"The first {side} to reach {format_points(rules.target)} wins the game.", ("target",))
        if rules.players == 3:
            tie = f"If two players reach {format_points(rules.target)} on one hand, {_TIES[rules.tie_at_target]}."
            yield Clause(tie, ("tie_at_target",))
        yield Clause(
            "A game need not be won by two points." if rules.win_by == 1 else "A game must be won by two points.",
            ("win_by",),
        )
    if rules.best_of == 1:
        yield Clause("A match is one game.", ("best_of",))
    else:
        won = (rules.best_of + 1) // 2
        yield Clause(
            f"A match is the best of {number_word(rules.best_of)} games: {number_word(won)} wins take it.", ("best_of",)
        )
    if rules.fixed_hands is not None and rules.best_of > 1:
        yield Clause("A game that ends level is decided by one more hand.", ours=True)
    if rules.score_keeping is choices.ScoreKeeping.FOURS_AND_SIXES:
        yield Clause(
            "Each side keeps its score with a four and a six, hearts for one side and spades for the other.",
            ("score_keeping",),
        )


def _event(rules: HouseRules) -> Iterator[Clause]:
    if rules.event is choices.EventKind.ROUND_ROBIN:
        yield Clause("The event is a round robin: every team meets every other team once.", ("event",))
    if rules.event is choices.EventKind.SCHOOL_GROUPS:
        yield Clause(
            "Two schools meet in groups of four, a team of two from each; a group plays one match.", ("event",)
        )
        yield Clause(
            f"In all, {format_points(rules.event_points)} {'is' if rules.event_points == 1 else 'are'} shared equally "
            "among the match-ups; each share goes to its winner's school.",
            ("event_points",),
        )
        yield _chosen(
            rules,
            "participation",
            NONE="There is nothing for taking part.",
            TENTH_PER_TEAM="A school also gets a tenth of a point for each team it entered.",
            SHARED_POOL="A tenth of the event's points is shared by the schools according to the teams they entered.",
        )
    if rules.co_ed:
        yield Clause("The event is co-ed.", ("co_ed",))
    if rules.gift_cards:
        prizes = ", ".join(f"${amount}" for amount in rules.gift_cards)
        yield Clause(f"Prizes, from first place down: gift cards of {prizes}.", ("gift_cards",))


_SECTIONS: Final = {
    Group.TABLE: _table,
    Group.DEAL: _deal,
    Group.BIDDING: _bidding,
    Group.ALONE: _alone,
    Group.PLAY: _play,
    Group.SCORING: _scoring,
    Group.IRREGULARITIES: _irregularities,
    Group.MATCH: _match,
    Group.EVENT: _event,
}


def _renege(rules: HouseRules) -> str:
    warned = "after a warning, " if rules.renege_warnings else ""
    scores = f"scores {format_points(rules.renege_points)}"
    costs = {
        4: f"the other side {scores}",
        3: f"if the maker reneges, each defender {scores}; if a defender reneges, only the maker {scores}",
        2: f"the other player {scores}",
    }[rules.players]
    return f"Not following suit when able is a renege: {warned}{costs}."


def _renege_alone(rules: HouseRules) -> Clause:
    if rules.renege_points == rules.renege_points_alone:
        return Clause("On a lone hand a renege costs the same.", ("renege_points_alone",))
    side = "side" if rules.players == 4 else "player"
    when = {
        choices.RenegeAlone.EITHER_SIDE: f"on a lone hand, no matter which {side} reneges",
        choices.RenegeAlone.BY_THE_LONE_SIDE: f"if the {side} that reneges plays alone",
        choices.RenegeAlone.AGAINST_THE_LONE_SIDE: f"if the {side} that scores plays alone",
    }[rules.renege_alone]
    cost = f"A renege costs {format_points(rules.renege_points_alone)} {when}."
    return Clause(cost, ("renege_points_alone", "renege_alone"))


def _other(rules: HouseRules, among_more: str) -> str:
    """The only other player at a table of two, otherwise `among_more`."""
    return "the other player" if rules.players == 2 else among_more


_TIES: Final = {
    choices.TieAtTarget.PLAY_ON: "the higher score wins, and with equal scores they play on until one is ahead",
    choices.TieAtTarget.ALL_WIN: "both win",
    choices.TieAtTarget.MAKER_FIRST: "the maker wins if among them; else the higher score does, "
    "and equal scores play on",
}


def _sentence_without_clause(rules: HouseRules, option: str) -> str:
    """The sentence for an option without a clause."""
    if option == "sheet":
        name = str(rules.sheet).replace("-", " ")
        return (
            "The rules start from no sheet."
            if rules.sheet is choices.Sheet.OWN
            else f"The rules start from the {name} sheet."
        )
    return _SENTENCES_WITHOUT_CLAUSE[option]


_NO_PARTNER: Final = "The players have no partners."
_NO_CLAIMS: Final = "Certain winners are not laid down at once."
_NO_WARNING: Final = "No renege gets off with a warning."
_NO_SHARE: Final = "The rules are for no event that shares out points."
_SENTENCES_WITHOUT_CLAUSE: Final = {
    "game_ends": "A game is played to a score.",
    "target": "A game has no target score.",
    "win_by": "A game may end one point apart.",
    "tie_at_target": "Two players never reach the target on one hand.",
    "score_keeping": "The score may be kept in any way.",
    "missing_cut": "No cut is due before a deal.",
    "farmers_hand": "There are no nines in the deck.",
    "partner_orders_alone": _NO_PARTNER,
    "defend_alone": _NO_PARTNER,
    "claim_consent": _NO_CLAIMS,
    "judge_claims": _NO_CLAIMS,
    "renege_alone": "A renege costs the same on a lone hand.",
    "warnings_for": _NO_WARNING,
    "warnings_last": _NO_WARNING,
    "event": "The rules are for no particular event.",
    "event_points": _NO_SHARE,
    "participation": _NO_SHARE,
    "co_ed": "Teams need not be mixed.",
    "gift_cards": "There are no gift cards to win.",
}
"""Sentences for options that the card leaves out."""
