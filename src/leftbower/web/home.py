"""Home: play now, open a table, join one by its code, the person's last games."""

from hmac import compare_digest
from typing import Final

from fastapi import Request
from fastapi.responses import HTMLResponse, RedirectResponse, Response

from leftbower.i18n import N_, gettext as _
from leftbower.rules.cards import Suit, parse_cards
from leftbower.rules.house import HouseRules
from leftbower.rules.sheets import DEFAULT_RULES
from leftbower.server.api.names import signed_in_as
from leftbower.server.api.requests import LEVELS, RulesRequest
from leftbower.server.auth import MaybeAccount, SignedIn, Visitor, address_of, set_cookie
from leftbower.server.context import AppContext, Context
from leftbower.server.http.form_data import parse_urlencoded
from leftbower.server.http.lan import public_base_url
from leftbower.server.people.sanitize import clean_title, placeholder_name
from leftbower.table import Sat
from leftbower.web.event.entry.mine import events_of
from leftbower.web.last_games import last_games, listed_ids
from leftbower.web.responses import page_router, render_page
from leftbower.web.rule_choices import own_rules, rule_groups
from leftbower.web.table.seat_names import own_name

router = page_router()
_LEVEL_NAMES: Final = {
    "novice": N_("Novice"),
    "regular": N_("Regular"),
    "expert": N_("Expert"),
}
_MAX_LAST_GAMES: Final = 6
_MAX_EVENTS: Final = 2
_MAX_CODE_LENGTH: Final = 40
_SHOWN_HAND: Final = parse_cards("JhJdAhKhAs")
_SHOWN_TRICK: Final = parse_cards("KdAd9d")
"""The hand and the trick on the home page, where hearts are trump."""


@router.get("/")
async def home(request: Request, caller: Visitor, context: Context) -> HTMLResponse:
    """The home page."""
    person = caller.person or ""
    listings = await context.person_tables.latest(person, _MAX_LAST_GAMES) if person else []
    names = await context.people.names(listed_ids(listings) | {person}) if person else {}
    return render_page(
        request,
        "home.html",
        title=_("leftbower: Euchre the way your table plays it"),
        base_url=public_base_url(request),
        name=own_name(names, caller.person),
        is_signed_in=bool(person),
        rule_groups=rule_groups(await own_rules(context, caller.person)),
        levels=_LEVEL_NAMES,
        games=last_games(listings, person, names),
        events=[row for row in await events_of(context, person) if row.state != "over"][:_MAX_EVENTS],
        hand=_SHOWN_HAND,
        trick=_SHOWN_TRICK,
        trump=Suit.HEARTS,
    )


@router.get("/join")
async def join(request: Request, context: Context, code: str = "") -> Response:
    """Redirect to the table with a code that its host says aloud; without one, ask for it."""
    if not code:
        return render_page(request, "join.html", title=_("Join a table"), code="", refused=False)
    context.limits.join_codes.take(address_of(request))
    typed = "".join(filter(str.isalnum, code[:_MAX_CODE_LENGTH])).upper()
    table = await context.person_tables.find(typed)
    if table:
        return RedirectResponse(f"/t/{table}", 303)
    return render_page(request, "join.html", status=404, title=_("Join a table"), code=typed, refused=True)


@router.post("/play")
async def play(request: Request, caller: MaybeAccount, context: Context) -> Response:
    """Open a table with bots in all other seats and start the match."""
    form = parse_urlencoded(await request.body())
    signed = await context.auth.signed_in_or_guest(request, caller, form.get("name", "") or placeholder_name())
    return _redirect_to_table(await _open_table_with_bots(context, signed.person, form), request, signed)


@router.get("/start/{code}")
async def start(code: str, request: Request, caller: MaybeAccount, context: Context) -> Response:
    """The same for the one-time code that `serve --open` opens in a browser."""
    expected, request.app.state.start_code = request.app.state.start_code, ""
    if not expected or not compare_digest(expected.encode(), code.encode()):
        request.app.state.start_code = expected
        return RedirectResponse("/", 303)
    signed = await context.auth.signed_in_or_guest(request, caller, placeholder_name())
    return _redirect_to_table(await _open_table_with_bots(context, signed.person, {}), request, signed)


@router.post("/tables")
async def create_table(request: Request, caller: MaybeAccount, context: Context) -> Response:
    """Open a table for friends and seat the caller."""
    form = parse_urlencoded(await request.body())
    signed = await signed_in_as(context, request, caller, form.get("name", ""))
    person = signed.person
    name = await _open_table(context, person, form)
    table = await context.tables.get(name)
    await context.tables.execute(name, person, Sat(person=person, seat=table.rules.seats[-1]))
    return _redirect_to_table(name, request, signed)


def form_rules(form: dict[str, str]) -> HouseRules:
    """The house rules that a form names, by preset or rules link."""
    return RulesRequest(rules=(form.get("rules") or DEFAULT_RULES)[:100]).house_rules()


async def _open_table_with_bots(context: AppContext, person: str, form: dict[str, str]) -> str:
    name = await _open_table(context, person, form)
    table = await context.tables.get(name)
    await context.tables.execute(name, person, Sat(person=person, seat=table.rules.seats[-1]))
    await context.tables.fill_and_agree(name, person)
    return name


async def _open_table(context: AppContext, person: str, form: dict[str, str]) -> str:
    title, rules = clean_title(form.get("title", "")), form_rules(form)
    name, _ = await context.person_tables.open(person, rules, _level(form), title=title)
    return name


def _level(form: dict[str, str]) -> str:
    level = form.get("level", "regular")
    return level if level in LEVELS else "regular"


def _redirect_to_table(name: str, request: Request, signed: SignedIn) -> Response:
    response = RedirectResponse(f"/t/{name}", 303)
    if signed.is_new:
        set_cookie(request, response, signed.token)
    return response
