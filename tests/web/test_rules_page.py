"""The rules page: every option, forms and links, and rule texts from the card."""

import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from html import unescape
from typing import Any

import pytest
from hypothesis import given, settings

from browser import launch_browser
from leftbower.errors import BadOption
from leftbower.rules import (
    HouseRules,
    base_preset,
    clause_text,
    diff,
    fingerprint,
    options,
    preset,
    presets,
    rule_card,
    to_link,
)
from leftbower.rules.choices import FarmersHand, NobodyCalls
from leftbower.rules.clauses import sentence
from leftbower.rules.formats import rules_by_name
from leftbower.rules.house import ASKED_FIRST
from leftbower.rules.options import Group
from leftbower.rules.sheets import PRESET_NAMES, Mark
from leftbower.store.memory import MemoryStore
from leftbower.testing import house_rules
from leftbower.web.app import install
from leftbower.web.rules.routes import MARK_LABELS, RulesViewModel, rules_from_form, rules_view_model
from server_client import AppServer, listening, serving

pytestmark = pytest.mark.xdist_group("browser")
OUR_RULES = replace(
    preset("club"), target=11, nobody_calls=NobodyCalls.PASS_OUT, farmers_hand=FarmersHand.REDEAL, gift_cards=(50, 25)
)


@asynccontextmanager
async def serve_pages() -> AsyncIterator[AppServer]:
    """The application with its pages, without a socket."""
    async with serving(MemoryStore()) as server:
        install(server.app)
        yield server


def form_of(view_model: RulesViewModel) -> dict[str, str]:
    """The form that a browser sends without changes."""
    return {"sheet": view_model.sheet} | {
        option.name: option.value for group in view_model.groups for option in group.options
    }


# What the page shows


@settings(max_examples=25)
@given(house_rules())
def test_a_page_sent_back_unchanged_is_the_same_rule_set(rules: HouseRules) -> None:
    assert rules_from_form(form_of(rules_view_model(rules))) == rules


@settings(max_examples=25)
@given(house_rules())
def test_every_option_appears_once_with_its_question_and_its_mark(rules: HouseRules) -> None:
    rows = [option for group in rules_view_model(rules).groups for option in group.options]
    assert sorted(option.name for option in rows) == sorted(options().keys() - {"sheet"})
    assert all(option.question == options()[option.name].question for option in rows)
    changed = {option.name for option in rows if option.mark is Mark.CHANGED}
    base = base_preset(rules)
    assert changed == ({difference.option for difference in diff(rules, base.rules)} if base else set())


@pytest.mark.parametrize("name", PRESET_NAMES)
def test_what_a_choice_means_is_said_in_the_words_of_the_card(name: str) -> None:
    """Also where the card needs no clause for it; every other choice has its own sentence."""
    rules = preset(name)
    for group in rules_view_model(rules).groups:
        for option in group.options:
            assert option.text == (clause_text(rules, option.name) or sentence(rules, option.name))
            assert all(re.fullmatch(r"[A-Z].*\.", value.text) for value in option.values)
            assert all(value.text == option.text for value in option.values if value.is_chosen)


def test_every_choice_has_a_label_that_answers_the_question() -> None:
    """No two choices of an option have the same label, and none is spelled as in files."""
    for group in rules_view_model(preset("club")).groups:
        for option in group.options:
            labels = [value.label for value in option.values]
            assert len(set(labels)) == len(labels), option.name
            assert all(re.fullmatch(r"[A-Z0-9][^-]*", label) for label in labels), option.name


def test_every_option_stands_in_a_group_of_its_kind() -> None:
    """The most asked first, then the groups of the options in the order of the card, each with what is left."""
    first, *others = rules_view_model(preset("club")).groups
    assert (first.heading, tuple(option.name for option in first.options)) == ("The basics", ASKED_FIRST)
    groups = {group.heading: [option.name for option in group.options] for group in others}
    assert list(groups) == [str(group) for group in Group if group is not Group.ALONE]
    for heading, names in groups.items():
        assert names == [
            option.name for option in options().values() if option.group == heading and option.name in names
        ]
    assert "missing_cut" in groups["Deal"]
    assert "claim_consent" in groups["Play"]
    assert "renege_alone" in groups["Irregularities"]
    assert "tie_at_target" in groups["Game and match"]


@pytest.mark.parametrize("name", PRESET_NAMES)
async def test_every_preset_has_its_page_with_marks_card_and_link(name: str) -> None:
    async with serve_pages() as server:
        response = await server.http.get(f"/rules/{name}")
        assert response.status_code == 200
        text, rules = response.text, preset(name)
        assert f"http://leftbower/rules/{to_link(rules)}</output>" in text
        assert fingerprint(rules) in text
        assert "unchanged" in text
        for line in rule_card(rules).sections[0].lines:
            assert line.text in unescape(text)
        for letter, message in (MARK_LABELS[kind] for kind in (Mark.STATED, Mark.READ, Mark.SILENT)):
            assert f">{letter}</span> {message}" in text
        assert all(f'href="/rules/{sheet.name}"' in text for sheet in presets())
        assert not re.search(r"<[^>]+\sstyle=|<script|\son\w+=", text)


@pytest.mark.parametrize(
    ("rules", "heading"),
    [
        (HouseRules(), "Default rules, unchanged"),
        (HouseRules(target=11), "1 difference from the default rules"),
        (preset("campus"), "Campus, unchanged"),
        (replace(preset("campus"), target=11), "1 difference from Campus"),
    ],
)
def test_a_page_counts_its_differences(rules: HouseRules, heading: str) -> None:
    assert rules_view_model(rules).comparison == heading


async def test_the_page_begins_with_a_sheet_and_names_what_a_table_changed() -> None:
    async with serve_pages() as server:
        assert "Standard, unchanged" in (await server.http.get("/rules")).text
        text = unescape((await server.http.get(f"/rules/{to_link(OUR_RULES)}")).text)
        assert f"{len(diff(OUR_RULES, preset('club')))} differences from Club" in text
        for difference in diff(OUR_RULES, preset("club")):
            assert difference.question in text
            assert difference.our_words in text
        assert text.count(f'name="rules" value="{to_link(OUR_RULES)}"') == 4


# Changing


async def test_a_form_leads_to_the_link_of_what_it_asks_for() -> None:
    async with serve_pages() as server:
        form = form_of(rules_view_model(preset("club"))) | {
            "target": " 11 ",
            "nobody_calls": "pass-out",
            "farmers_hand": "redeal",
            "gift_cards": "$50, $25",
        }
        response = await server.http.post("/rules", data=form)
        assert response.status_code == 303
        assert response.headers["location"] == f"/rules/{to_link(OUR_RULES)}"


async def test_what_a_form_leaves_out_is_as_on_its_sheet() -> None:
    async with serve_pages() as server:
        response = await server.http.post("/rules", data={"sheet": "campus", "target": "7"})
        assert response.headers["location"] == f"/rules/{to_link(replace(preset('campus'), target=7))}"


async def test_an_unchecked_box_is_a_no_and_the_last_value_counts() -> None:
    async with serve_pages() as server:
        for body, waiver in (("waiver=no", False), ("waiver=no&waiver=yes", True)):
            response = await server.http.post("/rules", content=f"sheet=club&{body}")
            assert response.headers["location"] == f"/rules/{to_link(replace(preset('club'), waiver=waiver))}"


@pytest.mark.parametrize(
    ("changes", "option"),
    [
        ({"players": "3", "defend_alone": "always"}, "defend_alone"),
        ({"dealer_draw": "each-match"}, "dealer_draw"),
        ({"target": "99"}, "target"),
        ({"target": "ten"}, "target"),
        ({"target": "١٠"}, "target"),
        ({"nobody_calls": "<b>"}, "nobody_calls"),
        ({"waiver": "perhaps"}, "waiver"),
        ({"gift_cards": "5, 50"}, "gift_cards"),
    ],
)
async def test_an_invalid_choice_comes_back_with_its_error_and_the_form(changes: dict[str, str], option: str) -> None:
    form = form_of(rules_view_model(preset("club"))) | {"march_points": "3"} | changes
    with pytest.raises(BadOption) as error:
        rules_from_form(form)
    reason = error.value.reason
    async with serve_pages() as server:
        response = await server.http.post("/rules", data=form)
        assert response.status_code == 422
        assert response.headers["content-type"].startswith("text/html")
        beside = response.text.split(f'id="{option}"')[1].split('<div class="ask')[0]
        assert 'role="alert"' in beside
        assert reason[1:] in unescape(beside)
        assert re.search(r'name="march_points"[^>]*value="3"', response.text)
        assert "<output>" not in response.text
        assert "<b>" not in beside


async def test_a_form_with_unknown_fields_gets_a_422_page() -> None:
    async with serve_pages() as server:
        for body in ("sheet=nobody", "color=red", "&".join(f"a{number}=1" for number in range(500)), "\xff=\xfe"):
            response = await server.http.post("/rules", content=body.encode("latin-1"))
            assert response.status_code == 422
            assert 'role="alert"' in response.text


@pytest.mark.parametrize(
    ("name", "status", "message"),
    [
        ("campuss", 404, "did you mean campus?"),
        ("<b>x", 404, "There are no rules called"),
        (to_link(OUR_RULES)[:-2], 422, "mistyped or cut short"),
        ("lb1-", 422, "The link"),
        ("lb1-" + "A" * 500, 422, "at most 80 characters"),
        ("lb2-" + "A" * 500, 422, "at most 80 characters"),
        ("lb3-TDI", 422, "A rules link starts with lb2-"),
    ],
)
async def test_an_unknown_name_or_link_is_a_page_with_links_to_sheets(name: str, status: int, message: str) -> None:
    async with serve_pages() as server:
        response = await server.http.get(f"/rules/{name}")
        assert response.status_code == status
        assert message in response.text
        assert "<b>" not in response.text
        assert 'href="/rules/club"' in response.text


def test_an_address_names_a_preset_or_a_link() -> None:
    assert rules_by_name("club3") == preset("club3")
    assert rules_by_name(to_link(OUR_RULES)) == OUR_RULES
    assert rules_by_name("lb1-JaACAgDQAoAIEBIkBABEACAZ_YA") == preset("club")


async def test_the_buttons_of_the_page_open_tables_by_its_rules() -> None:
    async with serve_pages() as server:
        for address in ("/play", "/tables"):
            response = await server.http.post(address, data={"rules": to_link(OUR_RULES), "name": "Ann"})
            assert response.status_code == 303
            table = await server.context.tables.get(response.headers["location"].removeprefix("/t/"))
            assert table.rules == OUR_RULES


# In a browser


async def test_changing_a_rule_sharing_it_and_printing_the_card() -> None:
    """Without script, within the content security policy and the width of a phone; every card prints on one page."""
    wrong: list[str] = []
    async with listening() as (base, server), launch_browser() as browser:
        install(server.app)
        context = await browser.new_context(viewport={"width": 320, "height": 568}, java_script_enabled=False)
        page = await context.new_page()
        page.on("console", lambda message: wrong.append(message.text))
        await page.goto(f"{base}/rules")
        await page.select_option("[name=nobody_calls]", "pass-out")
        await page.check("[name=natural_trump][type=checkbox]")
        await page.click("text=Show these rules")
        assert await page.inner_text("#differences") == "2 differences from Standard"
        assert await page.inner_text(".share output") == page.url
        assert await page.evaluate("document.documentElement.scrollWidth") <= 320
        assert await page.evaluate(_SMALL) == []
        for name in PRESET_NAMES:
            await page.goto(f"{base}/rules/{name}")
            assert pages(await page.pdf(format="Letter")) == 1
        await context.close()
    assert wrong == []


def pages(printed: bytes) -> int:
    return len(re.findall(rb"/Type\s*/Page\b", printed))


_SMALL: Any = """() => [...document.querySelectorAll('.rules :is(button, select, summary, nav a, label:has(input))')]
  .filter(control => control.checkVisibility() && control.getBoundingClientRect().height < 43.9)
  .map(control => control.outerHTML)"""
