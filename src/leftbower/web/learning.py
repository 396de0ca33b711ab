"""Learn euchre in five minutes: each lesson is a real table, drawn as every other, at which one act is asked for.

Nothing is remembered: a lesson is an address, and an answer is the same address with the act behind it.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from math import inf
from typing import Annotated, Final
from urllib.parse import quote

from fastapi import APIRouter, Query, Request
from fastapi.responses import HTMLResponse, RedirectResponse, Response

from leftbower.engine import Action, InGame, InHand, State, advance, apply, legal_actions, new_game
from leftbower.notation.handline import parse_hand_line
from leftbower.notation.words import word
from leftbower.rules.seats import Seat
from leftbower.table import Acted, BotSat, Created, Sat, Table, after
from leftbower.web.answering import PageRoute, form_of, page
from leftbower.web.controls import NOTHING
from leftbower.web.lessons import LESSONS, Lesson
from leftbower.web.picture import Picture, picture

router = APIRouter(include_in_schema=False, default_response_class=HTMLResponse, route_class=PageRoute)
LEARNER: Final = "learner"
SEAT: Final = Seat.S


@dataclass(frozen=True, slots=True, kw_only=True)
class Shown:
    """A lesson as its page shows it."""

    number: int
    of: int
    title: str
    text: str
    question: str
    answer: str
    """What is said to the act that was chosen; empty before one was."""
    is_right: bool
    picture: Picture

    @property
    def is_last(self) -> bool:
        """Does the first real game come next?"""
        return self.number == self.of


def shown(number: int, act: str | None) -> Shown:
    """A lesson, counted from one, before an answer or after it."""
    lesson = LESSONS[number - 1]
    is_right = act in lesson.right
    return Shown(
        number=number,
        of=len(LESSONS),
        title=lesson.title,
        text=lesson.text,
        question=lesson.question,
        answer="" if act is None else {**lesson.right, **lesson.wrong}.get(act, lesson.refused),
        is_right=is_right,
        picture=_after_it(lesson, act) if is_right else _before_it(lesson),
    )


def lesson_table(lesson: Lesson, act: str | None = None) -> Table:
    """The table of a lesson: as it is asked about, or as it goes on after a right act."""
    state = parse_hand_line(lesson.position)
    table = _seated(state)
    for action in (*state.actions, *(_after(lesson, state, act) if act else ())):
        table = after(table, Acted(action=action), 0.0)
    return table


def _before_it(lesson: Lesson) -> Picture:
    """The question; no letter presses a button where there is no script."""
    seen = _pictured(lesson_table(lesson))
    return replace(seen, asked=replace(seen.asked, buttons=tuple(replace(one, key="") for one in seen.asked.buttons)))


def _after_it(lesson: Lesson, act: str | None) -> Picture:
    """What came of it; nothing more is asked."""
    return replace(_pictured(lesson_table(lesson, act)), turn=False, asked=NOTHING)


def _pictured(table: Table) -> Picture:
    """A table at which there is nothing to do but what is asked."""
    return replace(picture("learn", table, LEARNER, {}, trick_left=inf), may_undo=False, may_hint=False)


def _seated(state: State) -> Table:
    """The learner and three bots, when the cards of this hand have been dealt."""
    rules, deal = state.hand.rules, state.hand.deal
    table = after(None, Created(person=LEARNER, rules=rules, level="novice"), 0.0)
    table = after(table, Sat(person=LEARNER, seat=SEAT), 0.0)
    for seat in rules.places:
        if seat is not SEAT:
            table = after(table, BotSat(seat=seat, level="novice"), 0.0)
    game = advance(new_game(rules, deal.dealer, state.hand.scores), deal)
    assert isinstance(game, InHand)
    return replace(table, match=InGame(rules=rules, wins=(0,) * len(rules.sides), game=game))


def _after(lesson: Lesson, state: State, act: str) -> Iterator[Action]:
    """The right act, and what the others do then."""
    for said in (act, *lesson.then.split()):
        action = next(one for one in legal_actions(state) if word(one) == said)
        state = apply(state, action)
        yield action


@router.get("/learn")
async def learn(request: Request) -> Response:
    """The first lesson."""
    return _lesson_page(request, "1", None)


@router.get("/learn/{number}")
async def lesson(number: str, request: Request, a: Annotated[str | None, Query()] = None) -> Response:
    """A lesson, and what is said to the act in its address."""
    return _lesson_page(request, number, a)


@router.post("/learn/{number}")
async def answer(number: str, request: Request) -> Response:
    """An act at the table of a lesson; what is said to it has an address of its own."""
    if _read(number) is None:
        return _lesson_page(request, number, None)
    form = await form_of(request)
    said = form.get("a", "")[:20]
    alone = "!" if form.get("alone") == "yes" and said in {"o", "c", "d", "h", "s"} else ""
    return RedirectResponse(f"/learn/{_read(number)}?a={quote(said + alone)}", 303)


def _lesson_page(request: Request, number: str, act: str | None) -> Response:
    found = _read(number)
    if found is None:
        ways = (("/learn", "Learn euchre from the beginning"), ("/", "Home"))
        return page(
            request, "sorry.html", status=404, title="No such lesson", says="There is no such lesson.", ways=ways
        )
    one = shown(found, act)
    title = f"{one.title} – learn euchre"
    return page(request, "learn.html", title=title, lesson=one, p=one.picture, there=f"/learn/{found}")


def _read(number: str) -> int | None:
    """The number of a lesson there is."""
    numbers = {str(at): at for at in range(1, len(LESSONS) + 1)}
    return numbers.get(number)
