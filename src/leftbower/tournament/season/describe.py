"""A season in words: how it counts, and what a late correction changed."""

from collections.abc import Iterator
from fractions import Fraction

from leftbower.i18n import gettext as _, ngettext
from leftbower.tournament.season.changes import LateCorrection
from leftbower.tournament.season.exports import decimal
from leftbower.tournament.season.plan import Counting, SeasonPlan
from leftbower.tournament.season.view import SeasonView


def describe_plan(view: SeasonView) -> Iterator[str]:
    """How the season counts, one sentence each."""
    plan = view.season.plan
    yield _counting(plan)
    if plan.attendance:
        yield ngettext(
            "%(num)d point for each evening you come.", "%(num)d points for each evening you come.", plan.attendance
        )
    if not plan.teams:
        yield _substitutes(plan)
    if plan.playoffs:
        yield _("The top %(count)d play off.", count=plan.playoffs)
    if plan.playoffs and plan.needed:
        yield ngettext("You need %(num)d evening for that.", "You need %(num)d evenings for that.", plan.needed)
    if plan.promoted:
        yield ngettext(
            "After the season %(num)d moves up and down.", "After the season %(num)d move up and down.", plan.promoted
        )
    yield _("Ties are broken by points a round, then by the best evening.")


def _counting(plan: SeasonPlan) -> str:
    best = plan.best
    match plan.counting, best > 0:
        case Counting.POINTS, False:
            return _("Points of all evenings.")
        case Counting.POINTS, True:
            return ngettext("Points of the best evening.", "Points of the best %(num)d evenings.", best)
        case Counting.MATCHES, False:
            return _("Matches won in all evenings.")
        case Counting.MATCHES, True:
            return ngettext("Matches won in the best evening.", "Matches won in the best %(num)d evenings.", best)
        case _, False:
            return _("Points a round, added up for all evenings.")
    return ngettext(
        "Points a round of the best evening.", "Points a round, added up for the best %(num)d evenings.", best
    )


def _substitutes(plan: SeasonPlan) -> str:
    absent, substitute = plan.absent_share, plan.substitute_share
    if absent and substitute:
        return _(
            "Of a substitute's points %(absent)s go to the absent player and %(own)s to the substitute.",
            absent=_share(absent),
            own=_share(substitute),
        )
    if absent:
        return _("Of a substitute's points %(share)s go to the absent player.", share=_share(absent))
    if substitute:
        return _("Of a substitute's points %(share)s go to the substitute.", share=_share(substitute))
    return _("A substitute's points go to nobody.")


def _share(share: Fraction) -> str:
    return _("all") if share == 1 else _("half") if share == Fraction(1, 2) else str(share)


def describe_correction(change: LateCorrection) -> str:
    """`Week 2, round 1, table 4 was corrected from 8-10 to 10-8: Dan Dale +2, Hugh Hill −2.`"""
    values = {
        "week": change.evening,
        "round": change.round,
        "table": change.table,
        "old": change.old,
        "new": change.new,
    }
    if not change.totals:
        return _(
            "Week %(week)d, round %(round)d, table %(table)d was corrected from %(old)s to %(new)s; no total changes.",
            **values,
        )
    return _(
        "Week %(week)d, round %(round)d, table %(table)d was corrected from %(old)s to %(new)s: %(totals)s.",
        **values,
        totals=", ".join(f"{name} {format_change(points)}" for name, points in change.totals),
    )


def format_change(points: Fraction) -> str:
    return f"+{decimal(points)}" if points > 0 else f"−{decimal(-points)}"
