"""View model of a table for one viewer, built from a `View` and the public state; templates only render it.

No page can show a card that the engine did not show its viewer.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from math import ceil, isfinite
from typing import Final

from leftbower.engine.actions import Bury, LayAway, Play, Ready
from leftbower.engine.deal import HAND_SIZE, Draw
from leftbower.engine.match import MatchOver
from leftbower.engine.view import Phase, UpCardStatus, View, disputed_tricks
from leftbower.i18n import gettext
from leftbower.notation import describe
from leftbower.notation.describe import SUIT_LABELS, YOU, SeatNamer, as_object, as_subject, join_list, join_names
from leftbower.notation.tokens import to_token
from leftbower.rules.cards import Card, Suit
from leftbower.rules.choices import ScoreKeeping
from leftbower.rules.seats import Seat
from leftbower.table import DELAY_FACTORS, SeatedPerson, Table, current_scores, hand_view_for, pause_before_deal
from leftbower.web.table.controls import NO_CONTROLS, Controls, card_actions, controls
from leftbower.web.table.deal_form import DealForm, deal_form
from leftbower.web.table.endings.hand_end import HandEnd, hand_end
from leftbower.web.table.score_cards import ScoreCards, score_cards
from leftbower.web.table.seat_names import SeatNames, own_name, seat_positions
from leftbower.web.table.seats import SeatViewModel, faces, seat_view_model, side_classes
from leftbower.web.table.spoken import LoneCall, Spoken, SpokenCard, lone_call, moment, packets, spoken
from leftbower.web.table.text import (
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
_REJOIN_VERSIONS: Final = 24
"""Versions for which the rejoin notice stays below the table, about one hand; the mark at the seat stays longer."""


@dataclass(frozen=True, slots=True, kw_only=True)
class HandCard:
    card: Card
    name: str
    action: str
    """Token of the action that plays or discards it; empty for none."""
    discard: str
    """Label of the button that discards it."""
    refusal: str
    """Why it can't be played, while it is the viewer's turn."""
    is_trump: bool
    bower: str
    """`left` or `right`."""
    is_new: bool
    """Did the viewer just pick it up, or take it from the dummy?"""


@dataclass(frozen=True, slots=True, kw_only=True)
class SideScore:
    side: str
    """`us`, `them` or `third`."""
    name: str
    """Short: `Us`, or the player's name."""
    players: str
    points: int
    tricks: int | None
    """Taken in this hand; None before the play."""
    games: int | None
    """Games won; None if the match is a single game."""
    cards: ScoreCards | None
    """The four and six that show the score, if the rules keep it that way."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RefereeNote:
    """The last call and its ruling."""

    sentences: tuple[str, ...]
    evidence: tuple[Card, ...]
    """Face-up cards that prove the call."""
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
    target: int
    """Notches of the score tracks: the score that wins the game."""
    is_early: bool
    """Has the hand been dealt, but no card led?"""
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
    hand_end: HandEnd | None
    """The result of a hand that is over, until the next one is dealt."""
    is_your_turn: bool
    """Is the viewer asked for an action or an answer?"""
    is_watching: bool
    own_name: str
    """The name under which a viewer who watches would sit down; empty if they have given none."""
    sits_next_hand: bool
    """Does the viewer take a seat with the next hand?"""
    is_host: bool
    seconds_left: float | None
    """Seconds until the player to act runs out of time; None without a clock."""
    game_version: int
    """The last version in which the game went on; later ones are talk and people who come and go."""
    moment: str
    """What the last action was, such as `bid` or `trick`; see `spoken.py`."""
    packets: str
    """The packets of a deal, until the first bid."""
    pace: float
    """Factor of the times for which the script holds a moment, as the table's host set it."""
    deal_pause: float
    """How many of the server's pauses a finished hand stays."""
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
    seat_name = SeatNames(table.seats, names, None if seat in table.latecomers else seat)
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
            seat_view_model(table, dealt_view, position, other, as_subject(seat_name(other)), person)
            for other, position in positions.items()
        ),
        scores=tuple(_scores(table, dealt_view, seat, seat_name)),
        target=table.rules.fixed_hands or table.rules.target,
        is_early=dealt_view is not None and not dealt_view.active and dealt_view.ending is None,
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
        hand_end=hand_end(table, person, names),
        is_your_turn=is_your_turn,
        is_watching=is_watching,
        own_name=own_name(names, person),
        sits_next_hand=seat is not None and table.latecomers.get(seat) == person,
        is_host=person is not None and table.host == person,
        seconds_left=seconds_left,
        game_version=table.game_version,
        moment=moment(dealt_view),
        packets=packets(dealt_view, positions),
        pace=DELAY_FACTORS[table.tempo],
        deal_pause=pause_before_deal(table),
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


def _scores(table: Table, view: View | None, seat: Seat | None, seat_name: SeatNamer) -> Iterator[SideScore]:
    rules = table.rules
    wins = table.match.wins if table.match is not None and rules.best_of > 1 else (None,) * len(rules.sides)
    uses_cards = rules.score_keeping is ScoreKeeping.FOURS_AND_SIXES
    has_partner = rules.players == 4 and seat is not None
    # Translators: the heads of the two columns of a score pad.
    heads = {"us": gettext("Us"), "them": gettext("Them")} if has_partner else {}
    classes = side_classes(rules, seat)
    sides = list(zip(rules.sides, current_scores(table), wins, ("h", "s", "", ""), strict=False))
    for side, points, games, suit in sorted(sides, key=lambda entry: seat not in entry[0]):
        players = join_names(side, seat_name)
        yield SideScore(
            side=classes[side[0]],
            name=heads.get(classes[side[0]], players),
            players=players,
            points=points,
            tricks=sum(trick.winner in side for trick in view.tricks) if view and view.active else None,
            games=games,
            cards=score_cards(points, suit) if uses_cards else None,
        )


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
    new = view.dummy if view.phase is Phase.EXCHANGING_DUMMY else ()
    if view.phase is Phase.DISCARDING and view.to_act is view.seat:
        new = (view.up_card,)
    for card in sorted(faces(view.cards), key=lambda card: card_order(card, trump)):
        action = actions.get(card)
        bower = "" if trump is None else "right" * card.is_right_bower(trump) or "left" * card.is_left_bower(trump)
        yield HandCard(
            card=card,
            name=card_name(card, trump),
            action=to_token(action) if action else "",
            discard=gettext("Discard the %(card)s", card=card_name(card)) if isinstance(action, Bury) else "",
            refusal=refusal_text(view.refused[card]) if card in view.refused else "",
            is_trump=trump is not None and card.suit_under(trump) is trump,
            bower=bower,
            is_new=card in new,
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
    evidence = docket.verdicts[-1].evidence if docket.verdicts else ()
    return RefereeNote(sentences=(*sentences, *pending), evidence=evidence, rule=rule, is_new=is_new)


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
    elif view.ending and isinstance(view.actions[-1], Ready):
        sentences = []  # the result is news, not that the last player is ready
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
