"""View model of a table for one viewer, built from a `View` and the public state; templates only render it.

No page can show a card that the engine did not show its viewer.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from math import ceil, isfinite
from typing import Final

from leftbower.engine.actions import LayAway, Pass, Play
from leftbower.engine.deal import HAND_SIZE, Draw
from leftbower.engine.game import ToDeal
from leftbower.engine.match import InGame, MatchOver
from leftbower.engine.play import active_seats
from leftbower.engine.view import Phase, UpCardStatus, View, disputed_tricks
from leftbower.i18n import gettext
from leftbower.notation import describe
from leftbower.notation.describe import SUIT_LABELS, YOU, SeatNamer, as_object, as_subject, join_list, join_names
from leftbower.notation.tokens import to_token
from leftbower.rules.cards import UNKNOWN, Card, Face, Suit
from leftbower.rules.choices import ScoreKeeping
from leftbower.rules.seats import Seat
from leftbower.table import DELAY_FACTORS, SeatedBot, SeatedPerson, Table, current_scores, hand_view_for
from leftbower.web.table.controls import NO_CONTROLS, Controls, card_actions, controls
from leftbower.web.table.deal_form import DealForm, deal_form
from leftbower.web.table.moments import LoneCall, lone_call, moment, packets
from leftbower.web.table.score_cards import ScoreCards, score_cards
from leftbower.web.table.seat_names import SeatNames, seat_positions
from leftbower.web.table.spoken import Spoken, SpokenCard, spoken
from leftbower.web.table.text import (
    PHRASES,
    card_name,
    describe_action,
    describe_ending,
    describe_trick_winner,
    describe_verdict,
    refusal_text,
)
from leftbower.web.table.tricks import TableCard, cards_on_table, last_trick

_SUIT_ORDER: Final = (Suit.SPADES, Suit.HEARTS, Suit.CLUBS, Suit.DIAMONDS)
"""Order of the suits in a hand: black and red alternate."""
_PHRASE_VERSIONS: Final = 6
"""Versions for which a phrase is shown beside its speaker."""
_REJOIN_VERSIONS: Final = 24
"""Versions for which the rejoin notice stays below the table, about one hand; the mark at the seat stays longer."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SeatViewModel:
    seat: str
    position: str
    name: str
    level: str
    """The bot's level; empty for a person."""
    backs: int
    """Cards in the hand, shown face down."""
    tricks_won: int
    is_you: bool
    is_dealer: bool
    is_maker: bool
    is_alone: bool
    has_passed: bool
    """In this round of the bidding."""
    sits_out: bool
    has_turn: bool
    is_away: bool
    is_covered: bool
    rejoins: bool
    """Did the desk of the event let this player join from another device?"""
    can_be_taken: bool
    """May the viewer, who has no seat, replace its bot from the next hand on?"""
    exposed_cards: tuple[Card, ...]
    """The hand, if it lies face up."""
    phrase: str
    """What the player just said."""


@dataclass(frozen=True, slots=True, kw_only=True)
class HandCard:
    card: Card
    name: str
    action: str
    """Token of the action that plays or discards it; empty for none."""
    refusal: str
    """Why it can't be played, while it is the viewer's turn."""
    is_trump: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class SideScore:
    name: str
    points: int
    cards: ScoreCards | None
    """The four and six that show the score, if the rules keep it that way."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RefereeNote:
    """The last call and its ruling."""

    sentences: tuple[str, ...]
    rule: str
    """The rule that was applied; empty without a ruling."""
    is_new: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class TableViewModel:
    """A table as one viewer sees it."""

    name: str
    version: int
    phase: str
    seats: tuple[SeatViewModel, ...]
    scores: tuple[SideScore, ...]
    """Each side's score, the viewer's first."""
    games_won: str
    """Games won by each side; empty if the match is a single game."""
    tricks_won: tuple[int, ...]
    trump: str
    """Letter of the trump suit; empty before it is made."""
    trump_name: str
    called_by: str
    """Who made trump, and how."""
    up_card: TableCard | None
    dummy_size: int
    """Face-down cards of the dummy."""
    dealer_draw: tuple[TableCard, ...]
    """Cards of the draw for the first dealer, until the first hand is dealt."""
    trick: tuple[TableCard, ...]
    """The current trick, or a complete one that is not gathered yet."""
    trick_open_seconds: int
    """Seconds after which the page gathers the trick; 0 if it stays."""
    last_trick: tuple[TableCard, ...]
    """The last trick, if the viewer may open it again."""
    is_disputed: bool
    """Is there a dispute? Then all players may page through the tricks."""
    hand: tuple[HandCard, ...]
    controls: Controls
    referee: RefereeNote | None
    completing_play: str
    """Sentence about the card that completed the trick, until the trick is gathered."""
    narration: str
    """Sentences about what happened last."""
    absence: str
    """Who is away, and what happens to the seat."""
    rejoin_notice: str
    """Names the players whom the event's desk let join from another device; shown for about one hand."""
    cut_size: int
    """Cards in the deck that the viewer may cut; 0 without a cut."""
    cut_question: str
    """Asked before a deal or before the draw for dealer."""
    deal_form: DealForm | None
    """The form for the viewer who deals at an honor table."""
    is_face_down: bool
    """Are the cards dealt but the up-card not turned yet?"""
    undo_requester: str
    """Who asks the viewer to agree to an undo; empty without a request."""
    may_undo: bool
    may_hint: bool
    result: str
    """How the hand ended; empty while it goes on."""
    is_your_turn: bool
    """Is the viewer asked for an action or an answer?"""
    is_watching: bool
    sits_next_hand: bool
    """Does the viewer take a seat with the next hand?"""
    is_host: bool
    seconds_left: float | None
    """Seconds until the player to act runs out of time; None without a clock."""
    game_version: int
    """The last version in which the game went on; later ones are talk and people who come and go."""
    moment: str
    """What the last action was, such as `bid` or `trick`; see `moments.py`."""
    packets: str
    """The packets of a deal, until the first bid."""
    pace: float
    """Factor of the times for which the script holds a moment, as the table's host set it."""
    lone_call: LoneCall | None
    spoken: Spoken


def table_view_model(
    name: str,
    table: Table,
    person: str | None,
    names: Mapping[str, str],
    *,
    seconds_left: float | None = None,
    trick_seconds_left: float = 0.0,
) -> TableViewModel:
    """Build the view model for a person; a complete trick stays open for `trick_seconds_left` more seconds."""
    is_watching = person is None or table.seat_of(person) is None
    table = _as_played(table)
    view = hand_view_for(table, person)
    seat = table.seat_of(person) if person is not None else None
    positions = seat_positions(table.rules, seat)
    seat_name = SeatNames(table.seats, names, seat, positions)
    viewer_controls = controls(view, seat_name) if view else NO_CONTROLS
    dealt_view = None if table.cutter is not None or table.dealing_seat is not None else view
    trump = dealt_view.contract.trump if dealt_view and dealt_view.contract else None
    trick = cards_on_table(dealt_view, positions, trick_seconds_left=trick_seconds_left) if dealt_view else ()
    is_complete = any(card.wins for card in trick)
    is_your_turn = bool(viewer_controls.question) or (
        view is not None and bool(view.legal) and view.to_act is view.seat
    )
    hand = tuple(_hand_cards(dealt_view, trump)) if dealt_view else ()
    narration = _narrate(table, view, seat_name)
    completing_play = (
        describe_action(view.actions[-1], view, seat_name) if view and is_complete and _ends_trick(view) else ""
    )
    return TableViewModel(
        name=name,
        version=table.version,
        phase=table.phase,
        seats=tuple(
            _seat_view_model(table, dealt_view, position, other, as_subject(seat_name(other)), person)
            for other, position in positions.items()
        ),
        scores=_scores(table, seat, seat_name),
        games_won=_games_won(table, seat),
        tricks_won=_tricks_won(dealt_view, seat),
        trump=str(trump) if trump else "",
        trump_name=gettext(SUIT_LABELS[trump]) if trump else "",
        called_by=_called_by(dealt_view, seat_name),
        up_card=_up_card(view),
        dummy_size=_dummy_size(view),
        dealer_draw=_dealer_draw(table, positions),
        trick=trick,
        trick_open_seconds=ceil(trick_seconds_left) if is_complete and isfinite(trick_seconds_left) else 0,
        last_trick=last_trick(view, positions) if view else (),
        is_disputed=view is not None and bool(disputed_tricks(view)),
        hand=hand,
        controls=viewer_controls,
        referee=_referee_note(view, seat_name),
        completing_play=completing_play,
        narration=narration,
        absence=_absence_text(table, seat_name),
        rejoin_notice=rejoin_notice(table, seat_name, since=0 if table.gathering else table.version - _REJOIN_VERSIONS),
        cut_size=len(table.rules.deck) if table.cutter is not None and table.cutter is seat else 0,
        cut_question=gettext("Cut the deck?") if table.shuffler is None else gettext("Cut before the draw for deal?"),
        deal_form=deal_form(table, seat_name)
        if table.dealing_seat is not None and table.dealing_seat is seat
        else None,
        is_face_down=view is not None and view.phase is Phase.FACE_DOWN,
        undo_requester=_undo_requester(table, person, names),
        may_undo=_may_undo(table, seat, person),
        may_hint=is_your_turn and _has_advice(view) and person is not None and table.may_use_hints(person),
        result=describe_ending(view, view.ending, seat_name) if view and view.ending else "",
        is_your_turn=is_your_turn,
        is_watching=is_watching,
        sits_next_hand=seat is not None and table.latecomers.get(seat) == person,
        is_host=person is not None and table.host == person,
        seconds_left=seconds_left,
        game_version=table.game_version,
        moment=moment(dealt_view),
        packets=packets(dealt_view, positions),
        pace=DELAY_FACTORS[table.tempo],
        lone_call=lone_call(dealt_view, seat_name),
        spoken=spoken(
            table,
            dealt_view,
            seat,
            seat_name,
            happened=(completing_play, narration),
            question=viewer_controls.question,
            called_by=_called_by(dealt_view, seat_name),
            cards=[SpokenCard(name=card.name, can_be_used=bool(card.action)) for card in hand],
        ),
    )


def _as_played(table: Table) -> Table:
    """After a match, the table with that match's rules and seats, since the host may have changed them."""
    match = table.match
    return table.replaced(rules=match.rules, seats=table.last_seats) if isinstance(match, MatchOver) else table


def _has_advice(view: View | None) -> bool:
    """Can the coach advise? Not on face-down cards or a misdealt hand."""
    return view is not None and view.turned is not None and set(view.dealt_counts.values()) == {HAND_SIZE}


def _seat_view_model(
    table: Table, view: View | None, position: str, seat: Seat, name: str, viewer: str | None
) -> SeatViewModel:
    occupant = table.seats.get(seat)
    person = occupant.id if isinstance(occupant, SeatedPerson) else ""
    own_seat = table.seat_of(viewer) if viewer is not None else None
    contract = view.contract if view else None
    return SeatViewModel(
        seat=str(seat),
        position=position,
        name=name,
        level=occupant.level if isinstance(occupant, SeatedBot) else "",
        backs=view.card_counts[seat] if view else 0,
        tricks_won=sum(trick.winner is seat for trick in view.tricks) if view else 0,
        is_you=seat is own_seat,
        is_dealer=seat is _dealer(table, view),
        is_maker=contract is not None and contract.maker is seat,
        is_alone=contract is not None and ((contract.alone and contract.maker is seat) or contract.defender is seat),
        has_passed=view is not None and seat in _passed_seats(view),
        sits_out=view is not None and _sits_out(view, seat),
        has_turn=seat in (table.cutter, table.dealing_seat) or (view is not None and view.to_act is seat),
        is_away=person in table.away,
        is_covered=person in table.substituted,
        rejoins=seat in table.rejoins,
        can_be_taken=own_seat is None
        and not table.event
        and isinstance(occupant, SeatedBot)
        and seat not in table.latecomers,
        exposed_cards=() if seat is own_seat else faces(view.exposed.get(seat, ()) if view else ()),
        phrase=_recent_phrase(table, person, viewer),
    )


def _sits_out(view: View, seat: Seat) -> bool:
    """True for a loner's partner from the call on; a partner who deals discards first."""
    if view.contract is None or view.ending is not None or view.to_act is seat:
        return False
    return seat not in active_seats(view.rules, view.contract)


def _dealer(table: Table, view: View | None) -> Seat | None:
    """The dealer of the next or the current hand."""
    game = table.match.game if isinstance(table.match, InGame) else None
    return view.dealer if view else game.dealer if isinstance(game, ToDeal) else None


def _passed_seats(view: View) -> list[Seat]:
    """Seats that have passed in this round of bidding."""
    if view.phase is not Phase.BIDDING:
        return []
    passes = [action.seat for action in view.actions if isinstance(action, Pass)]
    return passes if view.up_card_status is UpCardStatus.TURNED_UP else passes[view.rules.players :]


def faces(cards: tuple[Face, ...]) -> tuple[Card, ...]:
    """Drop the cards that the viewer can't see."""
    return tuple(card for card in cards if card is not UNKNOWN)


def _recent_phrase(table: Table, person: str, viewer: str | None) -> str:
    """The phrase that a person just said, unless the viewer has muted them."""
    phrases = [
        (version, message) for version, message in table.chat if person and message.person == person and message.phrase
    ]
    if not phrases or (viewer, person) in table.muted or phrases[-1][0] + _PHRASE_VERSIONS < table.version:
        return ""
    return gettext(PHRASES[phrases[-1][1].phrase])


def _scores(table: Table, seat: Seat | None, seat_name: SeatNamer) -> tuple[SideScore, ...]:
    sides = list(zip(table.rules.sides, current_scores(table), ("h", "s", "", ""), strict=False))
    uses_cards = table.rules.score_keeping is ScoreKeeping.FOURS_AND_SIXES
    sides.sort(key=lambda entry: seat not in entry[0])
    has_partner = table.rules.players == 4 and seat is not None
    # Translators: the heads of the two columns of a score pad.
    ours = (gettext("We"), gettext("They")) if has_partner else ("", "", "")
    return tuple(
        SideScore(
            name=own_name or join_names(side, seat_name),
            points=points,
            cards=score_cards(points, suit) if uses_cards else None,
        )
        for (side, points, suit), own_name in zip(sides, ours, strict=False)
    )


def _games_won(table: Table, seat: Seat | None) -> str:
    if table.match is None or table.rules.best_of == 1:
        return ""
    sides = sorted(zip(table.rules.sides, table.match.wins, strict=True), key=lambda entry: seat not in entry[0])
    return "–".join(str(wins) for _, wins in sides)


def _tricks_won(view: View | None, seat: Seat | None) -> tuple[int, ...]:
    if view is None or not view.active:
        return ()
    sides = sorted(view.rules.sides, key=lambda side: seat not in side)
    return tuple(sum(trick.winner in side for trick in view.tricks) for side in sides)


def _called_by(view: View | None, seat_name: SeatNamer) -> str:
    if view is None or view.contract is None:
        return ""
    maker, alone = as_object(seat_name(view.contract.maker)), view.contract.alone
    if not view.contract.ordered:
        return gettext("called by %(name)s, alone", name=maker) if alone else gettext("called by %(name)s", name=maker)
    if view.contract.maker is view.dealer:
        if alone:
            return gettext("picked up by %(name)s, alone", name=maker)
        return gettext("picked up by %(name)s", name=maker)
    if alone:
        return gettext("ordered up by %(name)s, alone", name=maker)
    return gettext("ordered up by %(name)s", name=maker)


def _up_card(view: View | None) -> TableCard | None:
    if view is None or view.up_card_status is not UpCardStatus.TURNED_UP or view.ending is not None:
        return None
    return TableCard(card=view.up_card, name=card_name(view.up_card), position="up")


def _dummy_size(view: View | None) -> int:
    """Cards of the dummy, until the maker takes it."""
    if view is None or view.ending is not None or not view.rules.dummy_size:
        return 0
    taken = view.phase is Phase.EXCHANGING_DUMMY or any(isinstance(action, LayAway) for action in view.actions)
    return 0 if taken else view.rules.dummy_size


def _dealer_draw(table: Table, positions: Mapping[Seat, str]) -> tuple[TableCard, ...]:
    """The last card that each seat drew for first dealer, until the first hand is dealt."""
    draw = table.history[-1] if table.history else None
    if not isinstance(draw, Draw) or table.gathering:
        return ()
    seats_in_order = table.rules.seats
    first = seats_in_order.index(draw.shuffler) + 1
    seats = [seats_in_order[(first + number) % len(seats_in_order)] for number in range(len(draw.cards))]
    return tuple(
        TableCard(card=card, name=card_name(card), position=positions[seat], wins=card is draw.cards[-1])
        for card, seat in zip(draw.cards[-len(seats_in_order) :], seats[-len(seats_in_order) :], strict=True)
    )


def _hand_cards(view: View, trump: Suit | None) -> Iterator[HandCard]:
    actions = card_actions(view)
    for card in sorted(faces(view.cards), key=lambda card: card_order(card, trump)):
        action = actions.get(card)
        yield HandCard(
            card=card,
            name=card_name(card, trump),
            action=to_token(action) if action else "",
            refusal=refusal_text(view.refused[card]) if card in view.refused else "",
            is_trump=trump is not None and card.suit_under(trump) is trump,
        )


def card_order(card: Card, trump: Suit | None) -> tuple[int, int]:
    """Sort key of a card in a hand: suits in a fixed order, the left bower among the trumps."""
    suit = card.suit if trump is None else card.suit_under(trump)
    high = 0 if trump is None else 2 if card.is_right_bower(trump) else int(card.is_left_bower(trump))
    return _SUIT_ORDER.index(suit), -(100 * high + "9TJQKA".index(str(card.rank)))


def _referee_note(view: View | None, seat_name: SeatNamer) -> RefereeNote | None:
    """The last verdict, or the calls that are not decided yet."""
    if view is None:
        return None
    docket = view.docket
    pending = [describe(call, view.rules, seat_name) for call in docket.calls]
    verdict_lines = describe_verdict(docket.verdicts[-1], view.rules, seat_name) if docket.verdicts else ()
    if not pending and not verdict_lines and disputed_tricks(view):  # the called card was taken back
        pending = [gettext("A renege was called in this hand.")]
    elif pending:
        pending.append(gettext("No proof yet."))
    if not pending and not verdict_lines:
        return None
    *sentences, rule = verdict_lines or ("",)
    is_new = view.phase is Phase.SETTLING or not isinstance(view.actions[-1], Play)
    return RefereeNote(sentences=(*sentences, *pending), rule=rule, is_new=is_new)


def _narrate(table: Table, view: View | None, seat_name: SeatNamer) -> str:
    """Describe the last action, or who took the trick that it completed, and how the hand ended."""
    draw = table.history[-1] if table.history else None
    if table.cutter is not None and table.shuffler is not None:
        return _describe_cut(seat_name(table.shuffler), seat_name(table.cutter))
    if table.dealing_seat is not None:
        dealer = seat_name(table.dealing_seat)
        return gettext("It’s your deal.") if dealer == YOU else gettext("It’s %(name)s’s deal.", name=dealer)
    if isinstance(draw, Draw):
        return _describe_draw(seat_name(draw.dealer), card_name(draw.cards[-1]))
    if view is None:
        return ""
    if not view.actions:
        return _describe_deal(seat_name(view.dealer), "" if view.turned is None else card_name(view.turned))
    if _ends_trick(view):
        sentences = [describe_trick_winner(view.tricks[-1].winner, seat_name)]
    else:
        sentences = [describe_action(view.actions[-1], view, seat_name)]
    if view.ending:
        sentences.append(describe_ending(view, view.ending, seat_name))
    return " ".join(sentences)


def _describe_cut(shuffler: str, cutter: str) -> str:
    if cutter == YOU:
        return gettext("%(name)s shuffles for the draw and offers you the cut.", name=shuffler)
    if shuffler == YOU:
        return gettext("You shuffle for the draw and offer %(cutter)s the cut.", cutter=cutter)
    return gettext("%(name)s shuffles for the draw and offers %(cutter)s the cut.", name=shuffler, cutter=cutter)


def _describe_draw(dealer: str, card: str) -> str:
    if dealer == YOU:
        return gettext("You get the %(card)s and deal first.", card=card)
    return gettext("%(name)s gets the %(card)s and deals first.", name=dealer, card=card)


def _describe_deal(dealer: str, up_card: str) -> str:
    if not up_card:
        if dealer == YOU:
            return gettext("You deal. All cards are face down.")
        return gettext("%(name)s deals. All cards are face down.", name=dealer)
    if dealer == YOU:
        return gettext("You deal and turn up the %(card)s.", card=up_card)
    return gettext("%(name)s deals and turns up the %(card)s.", name=dealer, card=up_card)


def _ends_trick(view: View) -> bool:
    """Did the last action complete a trick?"""
    return isinstance(view.actions[-1], Play) and bool(view.tricks) and not view.trick


def _absence_text(table: Table, seat_name: SeatNamer) -> str:
    """Names who is away or replaced by a bot."""
    for seat, occupant in table.seats.items():
        if isinstance(occupant, SeatedPerson) and occupant.id in table.substituted:
            return gettext("A bot is playing for %(name)s.", name=as_object(seat_name(seat)))
        if isinstance(occupant, SeatedPerson) and occupant.id in table.away:
            if seat_name(seat) == YOU:
                return gettext("You’re away. Your seat is saved.")
            return gettext("%(name)s is away. The seat is saved.", name=seat_name(seat))
    return ""


def rejoin_notice(table: Table, seat_name: SeatNamer, *, since: int = 0) -> str:
    """Names the players whom the event's desk let join from another device after version `since`."""
    names = [as_object(seat_name(seat)) for seat, (_, version) in table.rejoins.items() if version > since]
    if not names:
        return ""
    return gettext(
        "The desk let %(names)s join from another device. That device plays from the next match on.",
        names=join_list(names),
    )


def _undo_requester(table: Table, person: str | None, names: Mapping[str, str]) -> str:
    undo = table.undo
    if undo is None or person is None or undo.person == person or person not in table.people - undo.agreed:
        return ""
    return names.get(undo.person) or gettext("Someone")


def _may_undo(table: Table, seat: Seat | None, person: str | None) -> bool:
    """Undo is allowed only against bots and outside events."""
    if table.event or seat is None or table.hand is None or table.undo is not None:
        return False
    has_human_opponent = any(
        isinstance(table.seats.get(other), SeatedPerson) for other in table.rules.opponents_of(seat)
    )
    return not has_human_opponent and any(point.person == person for point in table.undo_points)
