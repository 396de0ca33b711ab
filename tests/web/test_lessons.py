"""The lessons: what they call right is what engine and coach call right, and they need no script."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from random import Random
from typing import Any

import pytest

from browser import launch_browser
from leftbower.engine import view
from leftbower.i18n import gettext
from leftbower.notation.handline import parse_hand_line
from leftbower.notation.tokens import to_token
from leftbower.players.coach.coach import advise
from leftbower.rules.cards import DECK
from leftbower.rules.seats import Seat
from leftbower.store.memory import MemoryStore
from leftbower.table import hand_view_for
from leftbower.web.app import install
from leftbower.web.learn.lessons import REFUSED_REPLY, Lesson, lessons
from leftbower.web.learn.routes import LEARNER, LEARNER_SEAT, lesson_table, lesson_view_model
from server_client import AppServer, listening, serving

pytestmark = pytest.mark.xdist_group("browser")
LESSONS = lessons()
FORCED = [lesson for lesson in LESSONS if not lesson.wrong]
CHOICES = [lesson for lesson in LESSONS if lesson.wrong]
ANSWERS = [(number, act) for number, lesson in enumerate(LESSONS, 1) for act in (*lesson.right, *lesson.wrong)]


def titles(lesson: Lesson) -> str:
    return lesson.title


@asynccontextmanager
async def serve_lessons() -> AsyncIterator[AppServer]:
    """The application with its pages, without a socket."""
    async with serving(MemoryStore()) as server:
        install(server.app)
        yield server


@pytest.mark.parametrize("lesson", LESSONS, ids=titles)
def test_every_legal_answer_has_a_reply_and_no_other_has(lesson: Lesson) -> None:
    hand_view = hand_view_for(lesson_table(lesson), LEARNER)
    assert hand_view is not None
    assert hand_view.to_act is LEARNER_SEAT
    assert {to_token(action) for action in hand_view.legal} == lesson.right.keys() | lesson.wrong.keys()
    assert not lesson.right.keys() & lesson.wrong.keys()


@pytest.mark.parametrize("lesson", FORCED, ids=titles)
def test_in_a_lesson_on_following_every_other_card_is_illegal(lesson: Lesson) -> None:
    hand_view = view(parse_hand_line(lesson.position), LEARNER_SEAT)
    others = {card for card in hand_view.cards if str(card) not in lesson.right}
    assert others
    assert {card: hand_view.refused[card] for card in others} == dict.fromkeys(others, "must-follow-suit")  # type: ignore[index]


@pytest.mark.parametrize("lesson", CHOICES, ids=titles)
def test_the_coach_ranks_every_right_answer_above_every_wrong_one(lesson: Lesson) -> None:
    """By the chance to win the game; the coach knows only what the learner sees."""
    advice = advise(view(parse_hand_line(lesson.position), LEARNER_SEAT), rng=Random(11))
    chances = {to_token(choice.action): choice.chance.mean for choice in advice.choices}
    assert min(chances[act] for act in lesson.right) > max(chances[act] for act in lesson.wrong)


@pytest.mark.parametrize(
    ("title", "winner"),
    [("Follow suit", Seat.S), ("Trump", Seat.S), ("The two bowers", Seat.S), ("Your partner", Seat.N)],
)
def test_a_trick_goes_to_whom_the_lesson_says(title: str, winner: Seat) -> None:
    lesson = next(lesson for lesson in LESSONS if lesson.title == title)
    hand_view = hand_view_for(lesson_table(lesson, next(iter(lesson.right))), LEARNER)
    assert hand_view is not None
    assert hand_view.tricks[-1].winner is winner


def test_the_lesson_on_points_ends_in_a_euchre_for_two() -> None:
    number = next(number for number, lesson in enumerate(LESSONS, 1) if lesson.title == "What it’s worth")
    last = lesson_view_model(number, "Ts").table
    assert "euchred" in last.result
    assert [(side.name, side.points) for side in last.scores] == [("Us", 2), ("Them", 0)]


@pytest.mark.parametrize("lesson", LESSONS, ids=titles)
def test_a_lesson_has_no_card_in_it_that_the_learner_may_not_see(lesson: Lesson) -> None:
    hand_view = hand_view_for(lesson_table(lesson), LEARNER)
    assert hand_view is not None
    known = {
        hand_view.up_card,
        *hand_view.cards,
        *hand_view.trick,
        *(card for trick in hand_view.tricks for card in trick.cards),
    }
    pictured = lesson_view_model(LESSONS.index(lesson) + 1, None).table
    rendered = {hand_card.card for hand_card in pictured.hand} | {table_card.card for table_card in pictured.trick}
    assert rendered <= known & {*DECK}


async def test_every_answer_is_a_form_and_has_a_url_with_its_reply() -> None:
    async with serve_lessons() as server:
        for number, act in ANSWERS:
            redirect = await server.http.post(f"/learn/{number}", data={"action": act})
            assert redirect.status_code == 303
            page = await server.http.get(redirect.headers["location"])
            right = act in LESSONS[number - 1].right
            assert ("<b>Right.</b>" in page.text) is right
            assert ("<b>Not quite.</b>" in page.text) is not right
            assert (" disabled>" in page.text) is right
            assert 'role="status"' in page.text


async def test_alone_is_a_tick_beside_the_call() -> None:
    async with serve_lessons() as server:
        for token, act in (("o", "o%21"), ("p", "p"), ("", "")):
            redirect = await server.http.post("/learn/9", data={"action": token, "alone": "yes"})
            assert redirect.headers["location"] == f"/learn/9?action={act}"


async def test_an_illegal_card_or_nonsense_gets_a_reason() -> None:
    async with serve_lessons() as server:
        for act in ("", "Qs", "<b>", "x" * 500):
            redirect = await server.http.post("/learn/1", data={"action": act})
            page = await server.http.get(redirect.headers["location"])
            assert LESSONS[0].refused_reply in page.text
            assert gettext(REFUSED_REPLY) in (await server.http.get("/learn/2", params={"action": act})).text
            assert "<b>&lt;" not in page.text


async def test_there_is_a_way_forward_and_back_and_a_first_game_at_the_end() -> None:
    async with serve_lessons() as server:
        for number in range(1, len(LESSONS) + 1):
            page = (await server.http.get(f"/learn/{number}")).text
            assert f"Lesson {number} of {len(LESSONS)}" in page
            assert (f'href="/learn/{number - 1}"' in page) is (number > 1)
            assert (f'href="/learn/{number + 1}"' in page) is (number < len(LESSONS))
        end = (await server.http.get(f"/learn/{len(LESSONS)}", params={"action": "o!"})).text
        assert 'action="/play"' in end
        assert 'name="hints" value="on"' in end


@pytest.mark.parametrize("number", ["0", "99", "one", "1x", "²"])
async def test_an_unknown_lesson_is_a_404_page_with_links(number: str) -> None:
    async with serve_lessons() as server:
        for response in (await server.http.get(f"/learn/{number}"), await server.http.post(f"/learn/{number}")):
            assert response.status_code == 404
            assert response.headers["content-type"].startswith("text/html")
            assert 'href="/learn"' in response.text


async def test_all_lessons_by_keyboard_on_a_small_screen_without_script() -> None:
    """From the first lesson to the first game; nothing scrolls or overlaps."""
    refused: list[str] = []
    async with listening() as (base, server), launch_browser() as browser:
        install(server.app)
        context = await browser.new_context(viewport={"width": 320, "height": 568}, java_script_enabled=False)
        page = await context.new_page()
        page.on("console", lambda message: refused.append(message.text))
        await page.goto(f"{base}/learn")
        for number, lesson in enumerate(LESSONS, 1):
            await _fits(page)
            if number % 4 == 1:
                act = next(iter(lesson.right))
                if act.endswith("!"):
                    await page.check("[name=alone]")
                async with page.expect_navigation():
                    control = page.locator(f'[name=action][value="{act.removesuffix("!")}"]')
                    if await control.get_attribute("type") == "radio":
                        await control.check()
                    await control.press("Enter")
                assert await page.inner_text(".answer b") == "Right."
                await _fits(page)
                assert await page.evaluate("document.activeElement.textContent") in ("Next", "Play your first game")
            if number < len(LESSONS):
                async with page.expect_navigation():
                    await page.press("[rel=next]", "Enter")
        await page.click("text=Play your first game")
        assert "/t/" in page.url
        await context.close()
    assert refused == []


async def _fits(page: Any) -> None:
    """Every control is in the window, at least 44 pixels high, and the text ends where the table begins."""
    assert await page.evaluate(_MISFITS) == []


_MISFITS = """() => {
  const box = element => element.getBoundingClientRect();
  const controls = '.lesson nav a, .lesson button, .panel button, .hand .card';
  const apart = box(document.querySelector('.lesson')).bottom <= box(document.getElementById('table')).top + 1;
  const fits = rect => rect.left > -1 && rect.right < innerWidth + 1 && rect.top >= 0 && rect.bottom <= innerHeight + 1;
  const misfits = control => !fits(box(control)) || box(control).height < 44;
  const wrong = [...document.querySelectorAll(controls)].filter(misfits);
  return [...wrong.map(control => control.outerHTML), ...(apart ? [] : ['text and table overlap'])];
}"""
