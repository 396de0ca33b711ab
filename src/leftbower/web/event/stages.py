"""The stages of an event on its pages: brackets as pictures and as rounds, and the standings of earlier stages."""

from dataclasses import dataclass, replace

from markupsafe import Markup

from leftbower.i18n import gettext as _
from leftbower.printing.bracket_svg import bracket_svg, thumbnail_svg
from leftbower.tournament.model.state import Event
from leftbower.tournament.text.bracket_picture import BracketMatch, last_bracket
from leftbower.web.event.view_models import StandingsViewModel, standings_view_model


@dataclass(frozen=True, slots=True, kw_only=True)
class BracketViewModel:
    title: str
    svg: Markup
    thumbnail: Markup
    rounds: tuple[tuple[str, tuple[BracketMatch, ...]], ...]
    """Each round's title and its matches, those of `own` first."""
    current: int
    """Index of the round to show first."""
    own: str
    """The entrant of a player's page; empty on public pages."""
    way: str
    """The heading on a player's page."""


def bracket_view_model(event: Event, own: str = "") -> BracketViewModel | None:
    """The bracket of the last stage that has one; None without a bracket."""
    picture = last_bracket(event)
    if picture is None:
        return None
    title = _("Bracket of %(event)s", event=event.plan.title)
    rounds = tuple(
        (round_, tuple(sorted(matches, key=lambda match: own not in (side.entrant for side in match.sides) or not own)))
        for round_, matches in picture.rounds().items()
    )
    waiting = [
        index for index, (_round, matches) in enumerate(rounds) if any(match.state != "done" for match in matches)
    ]
    return BracketViewModel(
        title=title,
        svg=Markup(bracket_svg(picture, title)),  # our own SVG, with escaped names
        thumbnail=Markup(thumbnail_svg(picture, own, title)),
        rounds=rounds,
        current=waiting[0] if waiting else len(rounds) - 1,
        own=own,
        way=_("%(name)s in the bracket", name=event.entrants[own].name) if own in event.entrants else "",
    )


def earlier_standings(event: Event) -> tuple[tuple[str, StandingsViewModel], ...]:
    """The title and the standings of every stage before the last, with all who played in it."""
    stages = []
    for stage in range(len(event.stages) - 1):
        rounds = tuple(round_ for round_ in event.rounds if round_.stage <= stage)
        then = replace(event, stages=event.stages[: stage + 1], rounds=rounds)
        stages.append((_(event.stages[stage].definition.title), standings_view_model(then)))
    return tuple(stages)
