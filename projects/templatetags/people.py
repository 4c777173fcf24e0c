"""A template tag of the pages of workers: trust in several tasks as few labels."""

from collections import defaultdict

from django import template
from django.utils.html import format_html_join
from django.utils.safestring import SafeString

register = template.Library()


@register.simple_tag
def trusts(tasks: list[tuple[str, str, bool]], of: int) -> SafeString:
    """Show a label for each state, with the tasks that have it. `of`: the number of the project's tasks."""
    of_state: dict[tuple[str, str], list[str]] = defaultdict(list)
    for task, state, by_hand in tasks:
        of_state[state, " by hand" if by_hand else ""].append(task)
    labels = (
        (", ".join(names), state, state + hand, "all tasks" if len(names) == of else f"{len(names)} of {of} tasks")
        for (state, hand), names in of_state.items()
    )
    return format_html_join(
        " ",
        '<span class="trust" title="{}"><span class="state t-{}">{}</span> <span class="hint">{}</span></span>',
        labels,
    )
