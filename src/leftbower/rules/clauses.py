"""A rule set in plain English, clause by clause: the only place where rules become sentences.

A clause names the options it states, so that the card can give the source of each, a diff can quote both sides, and a
ruling can cite its rule. It states as few options as possible: what a sheet says and what it leaves to us are separate
clauses.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from leftbower.i18n import gettext as _, gettext_noop, holds_texts, ngettext
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


@holds_texts
@lru_cache
def sections(rules: HouseRules) -> tuple[tuple[str, tuple[Clause, ...]], ...]:
    """All rules in reading order: each heading with its clauses."""
    written = ((_(group), tuple(write(rules))) for group, write in _SECTIONS.items())
    return tuple((heading, clauses) for heading, clauses in written if clauses)


def clause_text(rules: HouseRules, *options: str) -> str:
    """What the rules say about these options, in the order of the card."""
    clauses_in_order = (clause for heading, clauses in sections(rules) for clause in clauses)
    return " ".join(clause.text for clause in clauses_in_order if set(options) & set(clause.options))


def sentence(rules: HouseRules, option: str) -> str:
    """What the rules say about one option, even if the card needs no clause for it."""
    return clause_text(rules, option) or _(_sentence_without_clause(rules, option))


def _chosen(rules: HouseRules, option: str, **sentences: str) -> Clause:
    """The clause of an option with one sentence per value, by the name of the enum member."""
    return Clause(sentences[getattr(rules, option).name], (option,))


def _table(rules: HouseRules) -> Iterator[Clause]:
    yield Clause(
        {
            4: _("Four play, two against two."),
            3: _("Three play, without partners: on each hand the other two defend together against the maker."),
            2: _("Two play, one against the other."),
        }[rules.players],
        ("players",),
    )
    if rules.players == 4:
        yield Clause(_("Partners sit across from each other."), common="partners-opposite")
    nines = rules.players > 2
    yield Clause(
        _("There are 24 cards, nine to ace in each suit.")
        if nines
        else _("There are 20 cards, ten to ace in each suit; the nines are left out."),
        common="deck",
    )
    yield Clause(
        _(
            "In trump the right bower (jack of trump) is highest, then the left bower (the other jack of that color), "
            "then ace, king, queen, ten, nine. The left bower is a trump in every way; "
            "it no longer belongs to the suit printed on it."
        )
        if nines
        else _(
            "In trump the right bower (jack of trump) is highest, then the left bower (the other jack of that color), "
            "then ace, king, queen, ten. The left bower is a trump in every way; "
            "it no longer belongs to the suit printed on it."
        )
    )
    yield Clause(
        _("The other suits rank ace, king, queen, jack, ten, nine.")
        if nines
        else _("The other suits rank ace, king, queen, jack, ten."),
        common="plain-suits",
    )
    yield _chosen(
        rules,
        "supervision",
        STRICT=_("At a leftbower table a wrong play is refused; at a real table the players watch for it."),
        HONOR=_("Played on honor: a wrong play stands until the other player notices and calls it.")
        if rules.players == 2
        else _("Played on honor: a wrong play stands until an opponent notices and calls it."),
    )
    yield _chosen(
        rules,
        "deviations",
        HOST_DECIDES=_("The host of the table may change a rule before play starts."),
        EVERYONE_AGREES=_("A change to these rules needs everyone's agreement before play starts."),
    )


def _deal(rules: HouseRules) -> Iterator[Clause]:
    yield _chosen(
        rules,
        "first_dealer",
        FIRST_JACK=_(
            "To choose the first dealer, shuffle and deal cards face up, one to each player in turn; "
            "the player who gets the first jack deals."
        ),
        FIRST_BLACK_JACK=_(
            "To choose the first dealer, shuffle and deal cards face up, one to each player in turn; "
            "the player who gets the first black jack deals."
        ),
    )
    yield _draw_cut(rules)
    yield _chosen(
        rules,
        "dealer_draw",
        EACH_GAME=_("There is a new draw for each game."),
        EACH_MATCH=_("There is one draw for the whole match."),
    )
    yield Clause(
        _("After each hand the deal passes to the other player.")
        if rules.players == 2
        else _("After each hand the deal passes to the left."),
        ("deal_passes",),
    )
    yield _deal_cut(rules)
    yield Clause(_("Everyone gets five cards."))
    yield Clause(
        _("The dealer deals to the other player first.")
        if rules.players == 2
        else _("The cards are dealt from the dealer's left around the table."),
        common="deal-order",
    )
    yield _chosen(
        rules,
        "deal_pattern",
        ONES=_("The cards are dealt one at a time."),
        TWO_THREE=_("The cards are dealt two to each player, then three."),
        EITHER_ORDER=_("The cards are dealt two to each player and then three, or three and then two."),
        BUNDLES=_("The cards are dealt in bundles of two or three."),
    )
    if rules.dummy_size:
        yield Clause(_("Three more cards are dealt as a dummy hand."))
        yield Clause(_("The dummy is dealt after the players' cards and lies face down."), ours=True)
    yield Clause(
        {
            4: _("The four cards left are the kitty; its top card, the up-card, is turned up."),
            6: _("The six cards left are the kitty; its top card, the up-card, is turned up."),
            7: _("The seven cards left are the kitty; its top card, the up-card, is turned up."),
        }[rules.kitty_size]
    )
    yield from _misdeal(rules)
    if rules.players > 2:
        yield _chosen(
            rules,
            "farmers_hand",
            OFF=_("A hand of nines and tens is played like any other."),
            REDEAL=_(
                "Before the first call a player dealt nothing but nines and tens may show them; "
                "the same dealer then deals again."
            ),
            SWAP=_(
                "Before the first call one player a hand may show three nines or tens and change "
                "them for the three closed cards of the kitty."
            ),
        )


def _draw_cut(rules: HouseRules) -> Clause:
    offered_to_other = _("Before the draw for the first dealer the cut is offered to the other player.")
    return _chosen(
        rules,
        "draw_cut",
        NONE=_("No cut is offered before the draw for the first dealer."),
        LEFT=offered_to_other
        if rules.players == 2
        else _("Before the draw for the first dealer the cut is offered to the player on the shuffler's left."),
        RIGHT=offered_to_other
        if rules.players == 2
        else _("Before the draw for the first dealer the cut is offered to the player on the shuffler's right."),
    )


def _deal_cut(rules: HouseRules) -> Clause:
    offered_to_other = _(
        "Before each deal the dealer must offer the cut to the other player, who cuts once or not at all and puts "
        "the two parts back together."
    )
    return _chosen(
        rules,
        "deal_cut",
        NONE=_("No cut is offered before a deal."),
        LEFT=offered_to_other
        if rules.players == 2
        else _(
            "Before each deal the dealer must offer the cut to the player on the left, who cuts once or not at all "
            "and puts the two parts back together."
        ),
        RIGHT=offered_to_other
        if rules.players == 2
        else _(
            "Before each deal the dealer must offer the cut to the player on the right, who cuts once or not at all "
            "and puts the two parts back together."
        ),
    )


def _misdeal(rules: HouseRules) -> Iterator[Clause]:
    if rules.deal_cut is choices.Cut.NONE:
        yield _chosen(
            rules,
            "misdeal",
            SAME_DEALER=_("A wrong number of cards dealt is a misdeal: the same dealer deals again."),
            DEAL_PASSES=_(
                "A wrong number of cards dealt is a misdeal: before the up-card is turned the dealer may start over; "
                "after that the deal is lost and the next player deals."
            ),
        )
        return
    yield _chosen(
        rules,
        "misdeal",
        SAME_DEALER=_("No cut offered, or a wrong number of cards dealt, is a misdeal: the same dealer deals again."),
        DEAL_PASSES=_(
            "No cut offered, or a wrong number of cards dealt, is a misdeal: before the up-card is turned the dealer "
            "may start over; after that the deal is lost and the next player deals."
        ),
    )
    yield _chosen(
        rules,
        "missing_cut",
        UNTIL_PLAYED=_("A missing cut can be called until the hand has been played."),
        BEFORE_THE_FIRST_CALL=_("A missing cut can be called only before the first call."),
    )


def _bidding(rules: HouseRules) -> Iterator[Clause]:
    yield Clause(
        _(
            "In turn, each player passes or orders the up-card up, which makes its suit trump; "
            "the dealer speaks last. The player who makes trump is the maker."
        )
        if rules.players == 2
        else _(
            "From the dealer's left, each player in turn passes or orders the up-card up, which makes its suit trump; "
            "the dealer speaks last. The player who makes trump is the maker."
        )
    )
    yield Clause(
        _(
            "In the first round the dealer may make trump only with a natural trump: a dealt card printed in the "
            "up-card's suit. The left bower is not one, nor is the up-card itself."
        )
        if rules.natural_trump
        else _("The dealer may make the up-card's suit trump whatever cards were dealt."),
        ("natural_trump",),
    )
    if rules.players == 4:
        yield Clause(
            _(
                "The dealer's partner may order the up-card up only to play alone; the dealer then sits out, "
                "after taking the up-card and discarding."
            )
            if rules.partner_orders_alone
            else _("The dealer's partner may order the up-card up like any other player."),
            ("partner_orders_alone",),
        )
    yield _chosen(
        rules,
        "bury",
        AFTER_TAKING=_("If any player orders the up-card up, the dealer takes it, then discards a card."),
        BEFORE_TAKING=_(
            "If any player orders the up-card up, the dealer discards a card, then takes the up-card in its place."
        ),
    )
    yield Clause(_("The discard lies face down."), common="discard-face-down")
    yield Clause(
        _("The dealer may discard the up-card itself.")
        if rules.may_bury_up_card
        else _("The dealer may not discard the up-card itself."),
        ("may_bury_up_card",),
    )
    yield Clause(
        _(
            "If all pass, the up-card is turned down and there is a second round: each player in turn passes or names "
            "another suit as trump. The suit turned down may not be named."
        )
    )
    yield _chosen(
        rules,
        "nobody_calls",
        STICK_THE_DEALER=_("If the other player passes again, the dealer must name a suit.")
        if rules.players == 2
        else _("If the others pass again, the dealer must name a suit."),
        PASS_OUT=_("If all pass again, the hand is passed out: no one scores and the next player deals."),
    )


def _alone(rules: HouseRules) -> Iterator[Clause]:
    if rules.players == 4:
        yield Clause(
            _("Only the maker may go alone; the partner then takes no part in the hand.")
            if rules.defend_alone is choices.LoneDefense.OFF
            else _("The maker may go alone; the partner then takes no part in the hand.")
        )
        yield Clause(_("The partner's cards are laid face down."), common="partners-cards")
    else:
        yield Clause(
            _(
                "The maker goes alone without ever looking at the dummy, or takes its three cards and discards any "
                "three. A dealer who makes the up-card's suit trump takes the up-card and discards before touching "
                "the dummy."
            )
        )
        yield Clause(
            _(
                "The dealer takes the up-card and discards before the dummy is touched, also when another player is "
                "the maker."
            ),
            ours=True,
        )
    yield _chosen(
        rules,
        "going_alone",
        WITH_THE_CALL=_("Alone is said together with the call that makes trump."),
        BEFORE_THE_LEAD=_("Alone may be said with the call that makes trump, or later, until the first card is led.")
        if rules.players == 4
        else _("Alone may be said with the call that makes trump, or later, until the dummy is touched."),
    )
    if rules.players == 4:
        yield _chosen(
            rules,
            "defend_alone",
            OFF=_("Defenders may not play alone."),
            ALWAYS=_(
                "A defender may also play alone. The defenders are asked from the dealer's left, and the first to say "
                "so plays alone."
            ),
            AGAINST_A_LONER=_(
                "Against a lone maker a defender may also play alone. The defenders are asked from the dealer's left, "
                "and the first to say so plays alone."
            ),
        )


def _play(rules: HouseRules) -> Iterator[Clause]:
    yield _first_lead(rules)
    if rules.players == 4:
        yield Clause(_("If the player who should lead first sits out, the next one leads."), ours=True)
    yield Clause(
        _(
            "Each player in turn plays one card to the trick, and must follow the suit led if able; otherwise any "
            "card may be played. The highest trump takes the trick, or with no trump in it the highest card of the "
            "suit led."
        )
    )
    yield Clause(_("A player who takes a trick leads to the next."), common="winner-leads")
    yield _chosen(
        rules,
        "looking_back",
        NOBODY=_("Tricks are kept face down. No one may look at them again."),
        TRICK_WINNER=_(
            "Tricks are kept face down. Only the winner of the last trick may look at it again, before leading."
        ),
        EVERYONE=_("Tricks are kept face down. Anyone may look at the last trick again until the next card is led."),
    )
    yield Clause(
        _("To settle whether a player reneged, everyone may go back through the tricks.")
        if rules.disputes_open_tricks
        else _("The tricks stay closed even when a renege is disputed."),
        ("disputes_open_tricks",),
    )
    yield Clause(
        _(
            "A renege in an earlier trick is proven when the player later plays or shows a card of the suit that was "
            "led to it."
        ),
        ours=True,
    )
    yield from _claims(rules)
    yield _chosen(
        rules,
        "throw_ins",
        BY_AGREEMENT=_(
            "A hand may be thrown in, and scored without being played out, when both players agree that its outcome "
            "is certain."
        )
        if rules.players == 2
        else _(
            "A hand may be thrown in, and scored without being played out, when all who take part agree that its "
            "outcome is certain."
        ),
        ENCOURAGED=_(
            "To save time, players are encouraged to throw in their cards, on lead or not, as soon as the outcome is "
            "obvious."
        ),
        OFF=_("Every hand is played out."),
    )
    if rules.throw_ins is choices.ThrowIns.ENCOURAGED:
        yield Clause(_("All who take part must agree to a throw-in."), ours=True)


def _first_lead(rules: HouseRules) -> Clause:
    if rules.players == 2:
        return _chosen(
            rules,
            "first_lead",
            DEALERS_LEFT=_("The player who did not deal leads to the first trick, against a lone hand too."),
            LONERS_LEFT=_("The player who did not deal leads to the first trick; on a lone hand the defender does."),
        )
    return _chosen(
        rules,
        "first_lead",
        DEALERS_LEFT=_("The player on the dealer's left leads to the first trick, against a lone hand too."),
        LONERS_LEFT=_(
            "The player on the dealer's left leads to the first trick; on a lone hand the player on the loner's left "
            "does."
        ),
    )


def _claims(rules: HouseRules) -> Iterator[Clause]:
    if rules.claims is choices.Claims.OFF:
        yield Clause(_("Cards are played one at a time, certain winners too."), ("claims",))
        return
    yield Clause(
        _("A player, on lead or not, who holds only certain winners may lay them all down at once.")
        if rules.throw_ins is choices.ThrowIns.ENCOURAGED
        else _("A player on lead who holds only certain winners may lay them all down at once."),
        ("claims",),
    )
    yield _chosen(
        rules,
        "claim_consent",
        ALL_AGREE=_(
            "If the other player disagrees that cards laid down at once are certain winners, they are led one at a "
            "time."
        )
        if rules.players == 2
        else _("If anyone disagrees that cards laid down at once are certain winners, they are led one at a time."),
        NOT_NEEDED=_("Laying down certain winners needs no consent."),
    )
    if rules.claim_consent is choices.ClaimConsent.NOT_NEEDED:
        yield Clause(_("If cards laid down at once are disputed, they are played one at a time."), ours=True)
    else:
        yield Clause(
            _("The table says whether cards laid down at once are certain winners.")
            if rules.judge_claims
            else _("The players judge whether cards laid down at once are certain winners."),
            ("judge_claims",),
        )
    yield Clause(_("Cards once laid down stay face up."), ours=True)


def _scoring(rules: HouseRules) -> Iterator[Clause]:
    yield Clause(
        ngettext(
            "The maker's side scores %(num)d point for three or four tricks and %(march)d for all five, a march.",
            "The maker's side scores %(num)d points for three or four tricks and %(march)d for all five, a march.",
            rules.made_points,
            march=rules.march_points,
        )
        if rules.players == 4
        else ngettext(
            "The maker scores %(num)d point for three or four tricks and %(march)d for all five, a march.",
            "The maker scores %(num)d points for three or four tricks and %(march)d for all five, a march.",
            rules.made_points,
            march=rules.march_points,
        ),
        ("made_points", "march_points"),
    )
    yield Clause(
        ngettext(
            "A maker who goes alone scores %(num)d point for three or four tricks and %(march)d for all five.",
            "A maker who goes alone scores %(num)d points for three or four tricks and %(march)d for all five.",
            rules.made_points_alone,
            march=rules.march_points_alone,
        ),
        ("made_points_alone", "march_points_alone"),
    )
    yield Clause(
        _(
            {
                4: gettext_noop(
                    "With fewer than three tricks the maker's side is euchred and the other side scores %(points)d."
                ),
                3: gettext_noop(
                    "With fewer than three tricks the maker is euchred and each defender scores %(points)d."
                ),
                2: gettext_noop(
                    "With fewer than three tricks the maker is euchred and the defender scores %(points)d."
                ),
            }[rules.players],
            points=rules.euchre_points,
        ),
        ("euchre_points",),
    )
    yield Clause(
        _(
            {
                4: gettext_noop("When a lone maker is euchred, the other side scores %(points)d."),
                3: gettext_noop("When a lone maker is euchred, each defender scores %(points)d."),
                2: gettext_noop("When a lone maker is euchred, the defender scores %(points)d."),
            }[rules.players],
            points=rules.euchre_points_alone,
        ),
        ("euchre_points_alone",),
    )
    if rules.defend_alone is not choices.LoneDefense.OFF:
        yield Clause(
            _("A euchre by a defender who stood alone scores %(points)d, never more.", points=LONE_DEFENSE_POINTS),
            ("defend_alone",),
        )


def _irregularities(rules: HouseRules) -> Iterator[Clause]:
    yield Clause(_renege(rules), ("renege_points",))
    yield _renege_alone(rules)
    yield from _warnings(rules)
    yield from _correction(rules)
    yield _chosen(
        rules,
        "failure_to_discard",
        TABLE_WAITS=_("If the dealer forgets to discard, the table waits for the discard."),
        PENALTY=_(
            "A dealer who plays a first card without having discarded has failed to discard; "
            "the penalty is the same as for a renege."
        ),
    )
    yield _waiver(rules)
    yield Clause(
        _("A penalty ends the hand and takes the place of its score.")
        if rules.penalty_ends_hand
        else _("A penalty is scored at once, and the hand is played on and scored as well."),
        ("penalty_ends_hand",),
    )
    yield Clause(
        ngettext(
            "Calling an irregularity that did not happen gives the accused %(num)d point.",
            "Calling an irregularity that did not happen gives the accused %(num)d points.",
            rules.wrong_call_points,
        )
        if rules.wrong_call_points
        else _("Calling an irregularity that did not happen costs nothing."),
        ("wrong_call_points",),
    )


def _renege(rules: HouseRules) -> str:
    points = rules.renege_points
    match rules.players, bool(rules.renege_warnings):
        case 4, False:
            return ngettext(
                "Not following suit when able is a renege: the other side scores %(num)d point.",
                "Not following suit when able is a renege: the other side scores %(num)d points.",
                points,
            )
        case 4, True:
            return ngettext(
                "Not following suit when able is a renege: after a warning, the other side scores %(num)d point.",
                "Not following suit when able is a renege: after a warning, the other side scores %(num)d points.",
                points,
            )
        case 3, False:
            return ngettext(
                "Not following suit when able is a renege: if the maker reneges, each defender scores %(num)d point; "
                "if a defender reneges, only the maker scores %(num)d point.",
                "Not following suit when able is a renege: if the maker reneges, each defender scores %(num)d points; "
                "if a defender reneges, only the maker scores %(num)d points.",
                points,
            )
        case 3, True:
            return ngettext(
                "Not following suit when able is a renege: after a warning, if the maker reneges, each defender scores "
                "%(num)d point; if a defender reneges, only the maker scores %(num)d point.",
                "Not following suit when able is a renege: after a warning, if the maker reneges, each defender scores "
                "%(num)d points; if a defender reneges, only the maker scores %(num)d points.",
                points,
            )
        case _, False:
            return ngettext(
                "Not following suit when able is a renege: the other player scores %(num)d point.",
                "Not following suit when able is a renege: the other player scores %(num)d points.",
                points,
            )
        case _:
            return ngettext(
                "Not following suit when able is a renege: after a warning, the other player scores %(num)d point.",
                "Not following suit when able is a renege: after a warning, the other player scores %(num)d points.",
                points,
            )


def _renege_alone(rules: HouseRules) -> Clause:
    points = rules.renege_points_alone
    if rules.renege_points == points:
        return Clause(_("On a lone hand a renege costs the same."), ("renege_points_alone",))
    text = {
        choices.RenegeAlone.EITHER_SIDE: ngettext(
            "A renege costs %(num)d point on a lone hand, no matter who reneges.",
            "A renege costs %(num)d points on a lone hand, no matter who reneges.",
            points,
        ),
        choices.RenegeAlone.BY_THE_LONE_SIDE: ngettext(
            "A renege by a maker who plays alone costs %(num)d point.",
            "A renege by a maker who plays alone costs %(num)d points.",
            points,
        ),
        choices.RenegeAlone.AGAINST_THE_LONE_SIDE: ngettext(
            "A renege against a maker who plays alone costs %(num)d point.",
            "A renege against a maker who plays alone costs %(num)d points.",
            points,
        ),
    }[rules.renege_alone]
    return Clause(text, ("renege_points_alone", "renege_alone"))


def _warnings(rules: HouseRules) -> Iterator[Clause]:
    yield Clause(
        (
            _(_NO_WARNING),
            _("The first renege gets only a warning."),
            _("The first two reneges get only a warning."),
            _("The first three reneges get only a warning."),
        )[rules.renege_warnings],
        ("renege_warnings",),
    )
    if rules.renege_warnings:
        yield Clause(_("After a warning the play stands."), ours=True)
        yield _chosen(
            rules,
            "warnings_for",
            PLAYER=_("Warnings are counted for each player."),
            SIDE=_("Warnings are counted for each side."),
        )
        yield _chosen(
            rules,
            "warnings_last",
            GAME=_("Warnings last for one game."),
            MATCH=_("Warnings last for the whole match."),
        )


def _correction(rules: HouseRules) -> Iterator[Clause]:
    if rules.out_of_turn is choices.OutOfTurn.AS_RENEGE:
        yield _chosen(
            rules,
            "correction",
            NEVER=_("A renege or a play out of turn cannot be corrected without cost."),
            UNLESS_CALLED=_(
                "A renege or a play out of turn costs nothing if the player corrects it before it is called, "
                "and before the last trick is complete."
            ),
            EVEN_WHEN_CALLED=_(
                "A renege or a play out of turn corrected before the last trick is complete costs nothing, "
                "even if it was called first."
            ),
        )
    else:
        yield _chosen(
            rules,
            "correction",
            NEVER=_("A renege cannot be corrected without cost."),
            UNLESS_CALLED=_(
                "A renege costs nothing if the player corrects it before it is called, and before the last trick is "
                "complete."
            ),
            EVEN_WHEN_CALLED=_(
                "A renege corrected before the last trick is complete costs nothing, even if it was called first."
            ),
        )
    yield _chosen(
        rules,
        "out_of_turn",
        TAKEN_BACK=_("A card played out of turn is taken back."),
        AS_RENEGE=_("A play out of turn is treated like a renege."),
    )


def _waiver(rules: HouseRules) -> Clause:
    if not rules.waiver:
        return Clause(_("Penalties are not waived or reduced."), ("waiver",))
    only_renege = rules.out_of_turn is not choices.OutOfTurn.AS_RENEGE
    if rules.players == 2:
        text = (
            _("Only the other player may waive the penalty for a renege, or ask for less.")
            if only_renege
            else _("Only the other player may waive the penalty for a renege or a play out of turn, or ask for less.")
        )
    else:
        text = (
            _("Only the opponents may waive the penalty for a renege, or ask for less.")
            if only_renege
            else _("Only the opponents may waive the penalty for a renege or a play out of turn, or ask for less.")
        )
    return Clause(text, ("waiver",))


def _match(rules: HouseRules) -> Iterator[Clause]:
    yield from _game_end(rules)
    yield Clause(
        {
            1: _("A match is one game."),
            3: _("A match is the best of three games: two wins take it."),
            5: _("A match is the best of five games: three wins take it."),
            7: _("A match is the best of seven games: four wins take it."),
        }[rules.best_of],
        ("best_of",),
    )
    if rules.fixed_hands is not None and rules.best_of > 1:
        yield Clause(_("A tied game is decided by one more hand."), ours=True)
    if rules.score_keeping is choices.ScoreKeeping.FOURS_AND_SIXES:
        yield Clause(
            _("Each side keeps its score with a four and a six, hearts for one side and spades for the other."),
            ("score_keeping",),
        )


def _game_end(rules: HouseRules) -> Iterator[Clause]:
    if rules.fixed_hands is not None:
        yield _chosen(
            rules,
            "game_ends",
            AFTER_8_HANDS=_("A game lasts eight hands; the higher score wins, and equal scores are a tie."),
            AFTER_12_HANDS=_("A game lasts twelve hands; the higher score wins, and equal scores are a tie."),
        )
        return
    yield Clause(
        ngettext(
            "The first side to reach %(num)d point wins the game.",
            "The first side to reach %(num)d points wins the game.",
            rules.target,
        )
        if rules.players == 4
        else ngettext(
            "The first player to reach %(num)d point wins the game.",
            "The first player to reach %(num)d points wins the game.",
            rules.target,
        ),
        ("target",),
    )
    if rules.players == 3:
        yield _tie_at_target(rules)
    yield Clause(
        _("A game can be won by one point.") if rules.win_by == 1 else _("A game must be won by two points."),
        ("win_by",),
    )


def _tie_at_target(rules: HouseRules) -> Clause:
    return _chosen(
        rules,
        "tie_at_target",
        PLAY_ON=ngettext(
            "If two players reach %(num)d point on one hand, the higher score wins, and with equal scores they play "
            "on until one is ahead.",
            "If two players reach %(num)d points on one hand, the higher score wins, and with equal scores they play "
            "on until one is ahead.",
            rules.target,
        ),
        ALL_WIN=ngettext(
            "If two players reach %(num)d point on one hand, both win.",
            "If two players reach %(num)d points on one hand, both win.",
            rules.target,
        ),
        MAKER_FIRST=ngettext(
            "If two players reach %(num)d point on one hand, the maker wins if among them; else the higher score does, "
            "and equal scores play on.",
            "If two players reach %(num)d points on one hand, the maker wins if among them; else the higher score "
            "does, and equal scores play on.",
            rules.target,
        ),
    )


def _event(rules: HouseRules) -> Iterator[Clause]:
    if rules.event is choices.EventKind.ROUND_ROBIN:
        yield Clause(_("The event is a round robin: every team meets every other team once."), ("event",))
    if rules.event is choices.EventKind.SCHOOL_GROUPS:
        yield Clause(
            _("Two schools meet in groups of four, a team of two from each; a group plays one match."), ("event",)
        )
        yield Clause(
            ngettext(
                "In all, %(num)d point is shared equally among the match-ups; each share goes to its winner's school.",
                "In all, %(num)d points are shared equally among the match-ups; each share goes to its winner's "
                "school.",
                rules.event_points,
            ),
            ("event_points",),
        )
        yield _chosen(
            rules,
            "participation",
            NONE=_("A school gets nothing for taking part."),
            TENTH_PER_TEAM=_("A school also gets a tenth of a point for each team it entered."),
            SHARED_POOL=_(
                "A tenth of the event's points is shared by the schools according to the teams they entered."
            ),
        )
    if rules.co_ed:
        yield Clause(_("The event is co-ed."), ("co_ed",))
    if rules.gift_cards:
        # Translators: an amount of money, in a list of prizes.
        prizes = ", ".join(_("$%(amount)d", amount=amount) for amount in rules.gift_cards)
        yield Clause(
            _("Prizes, from first place down: gift cards of %(prizes)s.", prizes=prizes),
            ("gift_cards",),
        )


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


def _sentence_without_clause(rules: HouseRules, option: str) -> str:
    """The sentence for an option without a clause."""
    return _START_SHEETS[rules.sheet] if option == "sheet" else _SENTENCES_WITHOUT_CLAUSE[option]


_START_SHEETS: Final = {
    choices.Sheet.OWN: gettext_noop("The rules start from no sheet."),
    choices.Sheet.ROUND_ROBIN: gettext_noop("The rules start from the round robin sheet."),
    choices.Sheet.CAMPUS: gettext_noop("The rules start from the campus sheet."),
    choices.Sheet.SCHOOL_CUP: gettext_noop("The rules start from the school cup sheet."),
    choices.Sheet.PRIZE_NIGHT: gettext_noop("The rules start from the prize night sheet."),
    choices.Sheet.CLUB: gettext_noop("The rules start from the club sheet."),
    choices.Sheet.STANDARD: gettext_noop("The rules start from Standard."),
}
_NO_PARTNER: Final = gettext_noop("The players have no partners.")
_NO_CLAIMS: Final = gettext_noop("Certain winners are not laid down at once.")
_NO_WARNING: Final = gettext_noop("No renege gets off with a warning.")
_NO_SHARE: Final = gettext_noop("There are no event points to share.")
_SENTENCES_WITHOUT_CLAUSE: Final = {
    "game_ends": gettext_noop("A game is played to a score."),
    "target": gettext_noop("A game has no target score."),
    "win_by": gettext_noop("A game can be won by one point."),
    "tie_at_target": gettext_noop("Two players never reach the target on one hand."),
    "score_keeping": gettext_noop("The score may be kept in any way."),
    "missing_cut": gettext_noop("No cut is due before a deal."),
    "farmers_hand": gettext_noop("There are no nines in the deck."),
    "partner_orders_alone": _NO_PARTNER,
    "defend_alone": _NO_PARTNER,
    "claim_consent": _NO_CLAIMS,
    "judge_claims": _NO_CLAIMS,
    "renege_alone": gettext_noop("A renege costs the same on a lone hand."),
    "warnings_for": _NO_WARNING,
    "warnings_last": _NO_WARNING,
    "event": gettext_noop("The rules are for no particular event."),
    "event_points": _NO_SHARE,
    "participation": _NO_SHARE,
    "co_ed": gettext_noop("The event need not be co-ed."),
    "gift_cards": gettext_noop("There are no gift cards to win."),
}
"""Sentences for options that the card leaves out."""
