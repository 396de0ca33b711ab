"""The rules to choose from, in groups: Standard, the person's own rule sets, and the tournament sheets."""

from collections.abc import Iterable
from dataclasses import dataclass

from leftbower.i18n import gettext as _
from leftbower.rules.sheets import DEFAULT_RULES, Preset, presets
from leftbower.server.context import AppContext


@dataclass(frozen=True, slots=True)
class RuleChoice:
    value: str
    """The name of a preset, or a link."""
    title: str
    about: str = ""


@dataclass(frozen=True, slots=True)
class RuleGroup:
    heading: str
    """Empty for Standard, which stands alone."""
    note: str
    choices: tuple[RuleChoice, ...]


async def own_rules(context: AppContext, person: str | None) -> tuple[RuleChoice, ...]:
    """The rule sets that a person keeps."""
    rule_sets = await context.store.rule_sets(person) if person else ()
    return tuple(RuleChoice(rule_set.rules, rule_set.name) for rule_set in rule_sets)


def rule_groups(own: Iterable[RuleChoice] = (), *, players: int | None = None) -> tuple[RuleGroup, ...]:
    """All rules that a form offers; with a number of players, only the presets for that number."""
    offered = [preset for preset in presets() if players in (None, preset.rules.players)]
    groups = (
        RuleGroup("", "", tuple(_choice(preset) for preset in offered if preset.name == DEFAULT_RULES)),
        RuleGroup(_("Your rules"), "", tuple(own)),
        RuleGroup(
            _("Tournament sheets"),
            _("The hand-outs of five real tournaments, as they are played there."),
            tuple(_choice(preset) for preset in offered if preset.name != DEFAULT_RULES),
        ),
    )
    return tuple(group for group in groups if group.choices)


def _choice(preset: Preset) -> RuleChoice:
    return RuleChoice(preset.name, preset.title, preset.about)
