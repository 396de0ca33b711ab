"""The account page: display name, password, passkeys, sessions and erasure."""

from http.cookies import SimpleCookie
from typing import Any

import httpx
import pytest

from browser_table import browser_hall
from leftbower.store.memory import MemoryStore
from leftbower.web.app import install
from server_client import AppServer, serving

PASSWORD = "correct horse"


class Browser:
    """A browser without script: it follows redirects and keeps its cookie."""

    def __init__(self, server: AppServer) -> None:
        self._http, self.cookie = server.http, ""

    async def __call__(self, path: str, *, status: int = 200, **form: str) -> str:
        """The page after a form or at a path."""
        headers = {"Cookie": f"leftbower={self.cookie}"} if self.cookie else {}
        self._http.cookies.clear()  # browsers share the client, not cookies
        response = await self._http.request("POST" if form else "GET", path, data=form or None, headers=headers)
        self._keep(response)
        if response.status_code == 303:
            return await self(response.headers["location"], status=status)
        assert response.status_code == status, (path, response.text)
        return response.text

    def _keep(self, response: httpx.Response) -> None:
        for cookie in SimpleCookie(response.headers.get("set-cookie", "")).values():
            assert (cookie["httponly"], cookie["samesite"]) == (True, "lax")
            self.cookie = cookie.value


async def test_a_guest_keeps_a_name_and_comes_back_with_it_and_its_tables() -> None:
    async with serving(MemoryStore()) as server:
        install(server.app)
        browser, other_browser = Browser(server), Browser(server)
        assert "Sign in" in await browser("/account")
        assert "Only this browser knows that you are Ann" in await browser("/account/begin", name="Ann")
        await browser("/tables", name="Ann", rules="club", title="Friday")
        assert "Your password is set." in await browser("/account/password", login="Ann", password=PASSWORD)
        for wrong in ({"login": "ann", "password": "another horse"}, {"login": "nobody", "password": PASSWORD}):
            page = await other_browser("/account/sign-in", status=403, **wrong)
            assert "Wrong login or password." in page
            assert not other_browser.cookie
        home = await other_browser("/account/sign-in", login="ANN", password=PASSWORD)
        assert "Friday" in home
        assert '<a href="/account">Your account</a>' in home
        assert "Your name is changed." in await other_browser("/account/name", name="Annie")
        assert "to play as Annie" in await browser("/account")


async def test_a_password_change_needs_the_old_password() -> None:
    async with serving(MemoryStore()) as server:
        install(server.app)
        ann, bob = Browser(server), Browser(server)
        await ann("/account/begin", name="Ann")
        await bob("/account/begin", name="Bob")
        assert "8 to 200 printable characters" in await ann(
            "/account/password", status=422, login="ann", password="short"
        )
        await ann("/account/password", login="ann", password=PASSWORD)
        assert "This login is taken." in await bob("/account/password", status=409, login="Ann", password=PASSWORD)
        await ann("/account/password", status=403, login="ann", password="battery staple")
        await ann("/account/password", status=403, login="ann", password="battery staple", old="wrong one")
        assert "Your password is set." in await ann(
            "/account/password", login="ann", password="battery staple", old=PASSWORD
        )
        await Browser(server)("/account/sign-in", status=403, login="ann", password=PASSWORD)
        await Browser(server)("/account/sign-in", login="ann", password="battery staple")


async def test_sessions_are_listed_and_ended() -> None:
    async with serving(MemoryStore()) as server:
        install(server.app)
        browser = Browser(server)
        await browser("/account/begin", name="Ann")
        assert "Sign out here" not in await browser("/account"), "there would be no way back"
        await browser("/account/password", login="ann", password=PASSWORD)
        others = [Browser(server) for _ in range(3)]
        for session in others:
            await session("/account/sign-in", login="ann", password=PASSWORD)
        text = await browser("/account")
        assert (text.count("<b>Another device</b>"), text.count("<b>This browser</b>")) == (3, 1)
        ended = text.split('action="/account/end"><input type="hidden" name="id" value="')[1].split('"')[0]
        assert "That device is signed out." in await browser("/account/end", id=ended)
        assert "There is no page at this address." in await browser("/account/end", status=404, id=ended)
        await others[1]("/account/sign-out", yes="yes")
        assert others[1].cookie == ""
        assert [("Your name at the table" in await session("/account")) for session in others].count(True) == 1
        await browser("/account/end-others", yes="yes")
        assert [("Your name at the table" in await session("/account")) for session in (browser, *others)] == [True] + [
            False
        ] * 3


async def test_an_erased_person_is_gone_and_games_stay_readable() -> None:
    async with serving(MemoryStore()) as server:
        install(server.app)
        ann, bob = Browser(server), Browser(server)
        await ann("/account/begin", name="Annabel")
        lobby = await ann("/tables", name="Annabel", rules="club")
        table = lobby.split('action="/t/')[1].split("/")[0]
        await bob("/account/begin", name="Bob")
        assert "Annabel" in await bob(f"/t/{table}")
        assert "Check the box to delete your account; nothing was deleted." in await ann(
            "/account/erase", status=422, sure=""
        )
        assert "Annabel" in await ann("/account")
        assert "Sign in" in await ann("/account/erase", sure="yes")
        assert ann.cookie == ""
        assert "Annabel" not in await bob(f"/t/{table}")


async def test_account_forms_need_a_signed_in_caller() -> None:
    async with serving(MemoryStore()) as server:
        install(server.app)
        anonymous, ann = Browser(server), Browser(server)
        await ann("/account/begin", name="Ann")
        for action in ("name", "password", "end", "end-others", "remove-passkey", "sign-out", "erase"):
            await anonymous(f"/account/{action}", status=401, name="Eve", sure="yes")
        await ann("/account/nothing", status=404, yes="yes")
        await ann("/account/remove-passkey", status=404, id="AAAA")
        cookie = ann.cookie
        await ann("/account/begin", name="Eve")
        assert ann.cookie == cookie, "who has a name keeps it"
        response = await server.http.post(
            "/account/begin", data={"name": "Eve"}, headers={"Sec-Fetch-Site": "cross-site"}
        )
        assert response.status_code == 403


async def test_a_seat_token_is_anonymous_on_the_account_page() -> None:
    """A seat token can't change its owner's name or password."""
    async with serving(MemoryStore()) as server:
        install(server.app)
        ann = await server.guest("Ann")
        table = await ann.open(rules="club")
        await ann.command(table, "sit", seat="N")
        lent = Browser(server)
        lent.cookie = (await ann.call("POST", f"/api/tables/{table}/token", status=201))["token"]
        assert "Ann" not in await lent("/account")
        assert "one seat at one table" in await lent("/account/name", status=403, name="Eve")


@pytest.mark.xdist_group("browser")
async def test_a_passkey_is_made_and_signs_in_in_a_real_browser() -> None:
    """With the virtual authenticator of Chromium."""
    async with browser_hall() as hall:
        base = hall.base.replace("127.0.0.1", "localhost")
        page = await hall.person()
        device: Any = await page.context.new_cdp_session(page)
        await device.send("WebAuthn.enable")
        options = {"protocol": "ctap2", "transport": "internal", "hasResidentKey": True, "hasUserVerification": True}
        answers = {"isUserVerified": True, "automaticPresenceSimulation": True}
        await device.send("WebAuthn.addVirtualAuthenticator", {"options": options | answers})
        await page.goto(f"{base}/account")
        await page.fill("form[action='/account/begin'] input", "Ann")
        await page.click("text=Continue")
        await page.fill("[data-label]", "my phone")
        await page.click("text=Add a passkey")
        await page.wait_for_url("**/account?done=passkey")
        assert "my phone" in await page.inner_text(".credentials >> nth=0")
        await page.click("text=Sign out here")
        await page.goto(f"{base}/account")
        await page.click("text=Sign in with a passkey")
        await page.wait_for_selector("footer >> text=Your account")
        await page.goto(f"{base}/account")
        assert await page.input_value("[name=name]") == "Ann"
        await page.click(".credentials >> text=Remove")
        await page.wait_for_selector("text=The passkey is removed.")
        assert [error for error in hall.wrong if not error.startswith(base)] == []


@pytest.mark.xdist_group("browser")
async def test_where_there_can_be_no_passkey_none_is_offered() -> None:
    """Browsers have no passkeys on plain HTTP."""
    async with browser_hall() as hall:
        page = await hall.person()
        await page.goto(f"{hall.base}/account")
        assert await page.locator("[data-passkey]").count() == 0
        assert await page.locator("text=Sign in").count() >= 1
