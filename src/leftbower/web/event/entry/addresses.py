"""Public addresses of an event with their QR codes, to show, share and mail."""

from typing import Any
from urllib.parse import quote

from markupsafe import Markup

from leftbower.i18n import gettext as _
from leftbower.server.http.lan import public_base_url
from leftbower.tournament.model.state import Event
from leftbower.web.event.links import EventPage
from leftbower.web.qr import qr_svg


def addresses_context(page: EventPage, event: Event) -> dict[str, Any]:
    """The sign-up page and the door for the desk; nothing before the page is opened."""
    if event.signup is None:
        return {}
    address = f"{public_base_url(page.request)}/e/{page.name}/sign-up"
    door = f"{address}?door={event.signup.door_code}"
    return {
        "address": address,
        "qr": Markup(qr_svg(address)),  # our own SVG
        "door_qr": Markup(qr_svg(door)),
        "mail": mail_url(event.plan.title, _("Sign up here: %(address)s", address=address)),
    }


def mail_url(subject: str, body: str) -> str:
    """A link that opens the organizer's own mail program with a draft."""
    return f"mailto:?subject={quote(subject)}&body={quote(body)}"
