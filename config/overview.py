"""The commands in groups, as `chainbox help` lists them."""

from django.core.management import BaseCommand, get_commands, load_command_class

HELP: tuple[list[str], ...] = (["help"], ["--help"], ["-h"], [])
"""Arguments that ask for the list."""
COMMANDS: dict[str, dict[str, str]] = {
    "start": {
        "start": "demo import_dataset validate migrate serve",
        "how-to/new_project": "create_project project_state",
        "reference/settings": "change_settings",
        "how-to/find_workers": "invite",
    },
    "data": {
        "how-to/new_project": "chunk_captions",
        "how-to/models": "import_predictions",
        "how-to/verification_questions": "gold",
        "reference/formats": "export_dataset change_data_card refs_splits type_agreement",
        "how-to/evaluate": "evaluate dataset_statistics",
        "how-to/check_a_data_set": "doubts wrong_labels changes export_corrected",
        "how-to/survey": "survey_import survey_export",
        "how-to/operations": "archive_project bring_back",
    },
    "people": {
        "how-to/find_workers": "offer_cost try_offer publish status withdraw make_api_key skills signals recovery_link",
        "how-to/models": "let_judge name_family measure_program",
        "how-to/workers_data": "forget_worker",
        "how-to/operations": "createsuperuser changepassword",
    },
    "money": {
        "how-to/predict": "forecast dry_run",
        "how-to/study_with_people": "study",
        "how-to/new_project": "delete_dry_run",
        "why/results": "simulate compare_strategies",
        "reference/money": "ledger",
        "how-to/find_workers": "due_payments pay reconcile",
        "how-to/models": "note_price",
    },
    "upkeep": {
        "how-to/operations": "doctor run replay backup restore prune",
        "how-to/watch": "progress",
        "how-to/verification_questions": "stock",
        "how-to/adaptive_links": "fit_link_prior reasks",
        "reference/api": "operation",
    },
}
"""The commands of each group by the page of docs/ that explains them best, in the order in which people need them."""
PROGRAMS = {
    "data": {"evaluation": "Score systems on an exported data set, without the service."},
    "people": {"annotator": "Let a model answer questions and propose boxes, through the API."},
}
"""Commands of chainbox/launcher.py, which need no Django, by group."""
WIDTH = 20


def overview(program: str) -> str:
    """Return the list of the commands with a sentence about each. `program`: the name by which it was called."""
    lines = [f"{program} COMMAND [options]; {program} help COMMAND lists its options."]
    for group in COMMANDS:
        about = {name: _sentence(name) for name in commands_of(group)} | PROGRAMS.get(group, {})
        lines += ["", group, *(f"  {name:<{WIDTH}}{words}" for name, words in about.items())]
    return "\n".join([*lines, "", "Django's own commands work, too: shell, dbshell, sendtestemail and others.", ""])


def _sentence(name: str) -> str:
    command = load_command_class(get_commands()[name], name)
    assert isinstance(command, BaseCommand)
    return f"{command.help.partition('. ')[0].removesuffix('.')}."


def commands_of(group: str) -> list[str]:
    return [name for names in COMMANDS[group].values() for name in names.split()]


def page_of(name: str) -> str:
    """Return the page of docs/ about a command; the list of all commands if no page explains it."""
    pages = {command: page for group in COMMANDS.values() for page, names in group.items() for command in names.split()}
    return pages.get(name, "reference/commands")
