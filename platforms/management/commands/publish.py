"""manage.py publish PLATFORM PROJECT"""

from argparse import ArgumentParser
from dataclasses import fields
from typing import Any

from django.core.management.base import CommandError

from annotation.models import Project
from pipeline.project.settings_versions import current_settings
from pipeline.project.tasks import NotAskedError, chosen_tasks
from pipeline.protocol.tasks.task import Task
from pipeline.stock.stock_forecast import warnings
from platforms.contract.errors import PlatformError
from platforms.contract.platform import Platform
from platforms.contract.terms import BadTermsError, RecruitmentTerms
from platforms.management.choose import PlatformCommand, chosen, confirm
from platforms.offers.recruit import begin_recruiting, check_recruitment, cost_of, untestable
from platforms.sync import sync
from runtime.installed import COMMAND
from runtime.words import money

HELP = {
    "title": "what workers read first (default: the task and the project's title)",
    "description": "what they read below it",
    "keywords": "keywords by which they find it (Mechanical Turk)",
    "most_places": "open places of a task at a time, for workers who passed its test",
    "entry_places": "open places of a task at a time, for newcomers; 0: no newcomers",
    "least": "assignments that a session needs",
    "quota": "assignments that a session may have; pay beyond the reward becomes a bonus",
    "reward_cents": "reward of an accepted session, in cents; 0: what --least assignments pay",
    "minutes": "minutes for a session",
    "days": "days that an offer stays open",
    "approve_hours": "hours that a session waits for its approval",
    "approved_least": "Mechanical Turk: approved HITs that a newcomer needs",
    "approved_percent": "Mechanical Turk: percentage of approved HITs that a newcomer needs",
    "auto_approve_days": "Mechanical Turk: days after which it approves a session by itself",
}
FLAGS = {"pays_tests": "pay the reward for a failed test, too"}


class Command(PlatformCommand):
    help = (
        "Offer a project's work on a platform, after showing what it may cost. Offers follow the open work and the "
        "spend cap until `withdraw`; sessions are settled as they come in. Publish again to change the terms."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("--tasks", nargs="+", choices=list(Task), default=[], metavar="TASK", help="all")
        for field in fields(RecruitmentTerms):
            if field.name in HELP:
                name = f"--{field.name.replace('_', '-')}"
                kind = type(field.default)
                parser.add_argument(name, type=kind, default=field.default, help=HELP[field.name])
        for flag, text in FLAGS.items():
            parser.add_argument(f"--{flag.replace('_', '-')}", action="store_true", help=text)
        parser.add_argument("--pay-by-hand", action="store_true", help=f"settle sessions by `{COMMAND} pay` alone")
        parser.add_argument("--dry-run", action="store_true", help="only show what it may cost")
        parser.add_argument("--yes", action="store_true", help="do not ask")
        parser.add_argument("--by", default="command line", help="name for the log (default: command line)")

    def handle(self, *args: Any, **options: Any) -> None:
        platform, project = chosen(options)
        try:
            tasks = list(chosen_tasks(project, options["tasks"]))
            terms = RecruitmentTerms(
                **{name: options[name] for name in [*HELP, *FLAGS]}, pays_itself=not options["pay_by_hand"]
            )
            check_recruitment(platform.marketplace(), project.id, tasks, terms)
            if terms.entry_places and (closed := untestable(project.id, tasks)):
                names = ", ".join(task.label for task in closed)
                raise BadTermsError(
                    f"Newcomers would find nothing to do: too few test questions of {names}. Add some "
                    "(docs/how-to/verification_questions.md), or offer no places for newcomers: --entry-places 0."
                )
            self._show_cost(platform, project, tasks, terms)
            if options["dry_run"]:
                return
            confirm("Offer it?", yes=options["yes"])
            recruitment = begin_recruiting(platform, project.id, tasks, terms, actor=options["by"])
            failures = sync(platform, recruitment).failures
        except (BadTermsError, PlatformError, NotAskedError) as error:
            raise CommandError(str(error)) from error
        self.tell(platform, project, failures)

    def _show_cost(self, platform: Platform, project: Project, tasks: list[Task], terms: RecruitmentTerms) -> None:
        marketplace = platform.marketplace()
        cost = cost_of(marketplace, project.id, tasks, terms)
        currency = current_settings(project.id)[1].currency
        for warning in warnings(project.id):
            self.stderr.write(warning)
        terms_of_money = "with real money" if marketplace.live else "without real money"
        self.stdout.write(
            f"On {platform.name}, {terms_of_money}: up to "
            f"{cost.places} places at a time, which may cost {money(cost.workers_cents, currency)} for workers and "
            f"about {money(cost.fee_cents, currency)} of fees ({marketplace.fee_percent:g} %)."
        )
        if cost.cap_cents:
            self.stdout.write(f"The project's spend cap is {money(cost.cap_cents, currency)}, without fees.")
        else:
            self.stdout.write("The project has no spend cap: places are offered anew as long as there is work.")
        balance = platform.balance_cents()
        if balance is not None:
            self.stdout.write(f"Balance of the account: {money(balance, currency)}.")
