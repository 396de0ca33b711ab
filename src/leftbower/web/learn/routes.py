"""Routes of the lessons. A lesson renders an ordinary table and asks for one action.

Lessons are stateless: the answer is a query parameter of the lesson's URL.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from math import inf
from typing import Final
from urllib.parse import quote

from fastapi import Request
from fastapi.responses import RedirectResponse, Response

from leftbower.engine import Action, InGame, InHand, State, advance_game, apply, legal_actions, new_game
from leftbower.i18n import gettext as _
from leftbower.notation import parse_hand_line, to_token
from leftbower.rules.seats import Seat
from leftbower.server.http.form_data import parse_urlencoded
from leftbower.table import Acted, BotSeated, Created, Sat, Table, apply_fact
from leftbower.web.learn.lessons import REFUSED_REPLY, Lesson, lessons
from leftbower.web.responses import page_router, render_page
from leftbower.web.table.controls import NO_CONTROLS
from leftbower.web.table.view_model import TableViewModel, table_view_model

router = page_router()
LEARNER: Final = "learner"
LEARNER_SEAT: Final = Seat.S


@dataclass(frozen=True, slots=True, kw_only=True)
class LessonViewModel:
    """A lesson before or after an answer."""

    number: int
    total: int
    title: str
    text: str
    question: str
    reply: str
    """The reply to the answer; empty before one."""
    is_right: bool
    table: TableViewModel

    @property
    def is_last(self) -> bool:
        return self.number == self.total


def lesson_view_model(number: int, answer: str | None) -> LessonViewModel:
    """Build lesson `number`, counted from 1, before or after an answer."""
    lesson = lessons()[number - 1]
    is_right = answer in lesson.right
    return LessonViewModel(
        number=number,
        total=len(lessons()),
        title=lesson.title,
        text=lesson.text,
        question=lesson.question,
        reply="" if answer is None else _reply(lesson, answer),
        is_right=is_right,
        table=_table_view_model(lesson, answer if is_right else None),
    )


def lesson_table(lesson: Lesson, answer: str | None = None) -> Table:
    """The table of a lesson, before an answer or after a right one."""
    state = parse_hand_line(lesson.position)
    table = _seated_table(state)
    for action in (*state.actions, *(_continue_hand(lesson, state, answer) if answer else ())):
        table = apply_fact(table, Acted(action=action), 0.0)
    return table


def _reply(lesson: Lesson, answer: str) -> str:
    return {**lesson.right, **lesson.wrong}.get(answer) or lesson.refused_reply or _(REFUSED_REPLY)


def _table_view_model(lesson: Lesson, answer: str | None) -> TableViewModel:
    """The table without undo and hints; after a right answer also without controls.

    Buttons have no keyboard shortcuts, since the page has no script.
    """
    table = table_view_model("learn", lesson_table(lesson, answer), LEARNER, {}, trick_seconds_left=inf)
    buttons = tuple(replace(button, key="") for button in table.controls.buttons)
    controls = NO_CONTROLS if answer else replace(table.controls, buttons=buttons)
    is_your_turn = table.is_your_turn and not answer
    return replace(table, may_undo=False, may_hint=False, is_your_turn=is_your_turn, controls=controls)


def _seated_table(state: State) -> Table:
    """A table of the learner and three bots, with the hand dealt."""
    rules, deal = state.hand.rules, state.hand.deal
    table = apply_fact(None, Created(person=LEARNER, rules=rules, bot_level="novice"), 0.0)
    table = apply_fact(table, Sat(person=LEARNER, seat=LEARNER_SEAT), 0.0)
    for seat in rules.seats:
        if seat is not LEARNER_SEAT:
            table = apply_fact(table, BotSeated(seat=seat, level="novice"), 0.0)
    game = advance_game(new_game(rules, deal.dealer, state.hand.scores), deal)
    assert isinstance(game, InHand)
    return replace(table, match=InGame(rules=rules, wins=(0,) * len(rules.sides), game=game))


def _continue_hand(lesson: Lesson, state: State, answer: str) -> Iterator[Action]:
    """The right answer and the actions after it."""
    for token in (answer, *lesson.continuation.split()):
        action = next(legal for legal in legal_actions(state) if to_token(legal) == token)
        state = apply(state, action)
        yield action


@router.get("/learn")
async def get_first_lesson(request: Request) -> Response:
    return _render_lesson(request, "1", None)


@router.get("/learn/{number}")
async def get_lesson(number: str, request: Request, action: str | None = None) -> Response:
    """A lesson, with the reply to the answer in its URL."""
    return _render_lesson(request, number, action)


@router.post("/learn/{number}")
async def post_answer(number: str, request: Request) -> Response:
    """Redirect to the URL of the answer."""
    if _parse_lesson_number(number) is None:
        return _render_lesson(request, number, None)
    form = parse_urlencoded(await request.body())
    answer = form.get("action", "")[:20]
    alone = "!" if form.get("alone") == "yes" and answer in {"o", "c", "d", "h", "s"} else ""
    return RedirectResponse(f"/learn/{_parse_lesson_number(number)}?action={quote(answer + alone)}", 303)


def _render_lesson(request: Request, number: str, answer: str | None) -> Response:
    lesson_number = _parse_lesson_number(number)
    if lesson_number is None:
        links = (("/learn", _("Learn euchre from the start")), ("/", _("Home")))
        title, message = _("Lesson not found"), _("There is no lesson with this number.")
        return render_page(request, "not_found.html", status=404, title=title, message=message, links=links)
    view_model = lesson_view_model(lesson_number, answer)
    return render_page(
        request,
        "learn/lesson.html",
        title=_("%(lesson)s – learn euchre", lesson=view_model.title),
        lesson=view_model,
        table=view_model.table,
        action_url=f"/learn/{lesson_number}",
    )


def _parse_lesson_number(number: str) -> int | None:
    numbers = {str(index): index for index in range(1, len(lessons()) + 1)}
    return numbers.get(number)
