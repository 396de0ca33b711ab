"""Labels of the choices in the form of the rules page, from `labels.toml`."""

from typing import Final

from leftbower.i18n import gettext, read_texts
from leftbower.rules.choices import Choice

_LABELS: Final = read_texts("leftbower.web.rules", "labels.toml")


def choice_label(value: object) -> str:
    """The label of a value: a short answer to the option's question."""
    match value:
        case Choice():
            return gettext(_LABELS[type(value).__name__][str(value)])
        case bool():
            return gettext("Yes") if value else gettext("No")
        case _:
            return str(value)
