"""The commands in groups, as `chainbox help` lists them."""

from django.core.management import BaseCommand, get_commands, load_command_class

HELP: tuple[list[str], ...] = (["help"], ["--help"], ["-h"], [])
"""Arguments that ask for the list."""
GROUPS = {
    "start": "demo create_project import_dataset validate change_settings project_state invite migrate serve",
    "data": (
        "chunk_captions import_predictions gold export_dataset evaluate dataset_statistics change_data_card "
        "refs_splits type_agreement doubts wrong_labels changes export_corrected survey_import survey_export "
        "archive_project bring_back"
    ),
    "people": (
        "publish status withdraw make_api_key let_judge name_family measure_program skills signals recovery_link "
        "forget_worker createsuperuser changepassword"
    ),
    "money": "forecast dry_run delete_dry_run simulate compare_strategies ledger pay reconcile note_price",
    "upkeep": "doctor progress run stock fit_link_prior reasks replay operation backup restore prune",
}
"""The commands of each group, in the order in which people need them."""
PAGES = {
    "start": "demo import_dataset validate migrate serve",
    "how-to/new_project": "create_project project_state delete_dry_run chunk_captions",
    "how-to/find_workers": "invite publish status withdraw pay reconcile make_api_key recovery_link skills signals",
    "how-to/models": "import_predictions let_judge name_family measure_program note_price",
    "how-to/verification_questions": "gold stock",
    "how-to/adaptive_links": "fit_link_prior reasks",
    "how-to/predict": "forecast dry_run",
    "how-to/check_a_data_set": "doubts wrong_labels changes export_corrected",
    "how-to/evaluate": "evaluate dataset_statistics",
    "how-to/survey": "survey_import survey_export",
    "how-to/workers_data": "forget_worker",
    "how-to/watch": "progress",
    "how-to/operations": (
        "archive_project bring_back backup restore prune doctor replay run createsuperuser changepassword"
    ),
    "reference/formats": "export_dataset change_data_card refs_splits type_agreement",
    "reference/settings": "change_settings",
    "reference/money": "ledger",
    "why/results": "simulate compare_strategies",
    "reference/api": "operation",
}
"""The commands that a page of docs/ explains best."""
PROGRAMS = {
    "data": {"evaluation": "Score systems on an exported data set, without the service."},
    "people": {"colleague": "Let a model answer questions and propose boxes, through the API."},
}
"""Commands of chainbox/launcher.py, which need no Django, by group."""
WIDTH = 20


def overview(program: str) -> str:
    """Return the list of the commands with a sentence about each. `program`: the name by which it was called."""
    lines = [f"{program} COMMAND [options]; {program} help COMMAND lists its options."]
    for group, names in GROUPS.items():
        about = {name: _sentence(name) for name in names.split()} | PROGRAMS.get(group, {})
        lines += ["", group, *(f"  {name:<{WIDTH}}{words}" for name, words in about.items())]
    return "\n".join([*lines, "", "Django's own commands work, too: shell, dbshell, sendtestemail and others.", ""])


def _sentence(name: str) -> str:
    command = load_command_class(get_commands()[name], name)
    assert isinstance(command, BaseCommand)
    return f"{command.help.partition('. ')[0].removesuffix('.')}."


def page_of(name: str) -> str:
    """Return the page of docs/ about a command; the list of all commands if no page explains it."""
    return next((page for page, names in PAGES.items() if name in names.split()), "reference/commands")
