"""python -m studies mutants [FILE ...]: which changes of the rules no test notices."""

import json
import random
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from django.core.management.base import CommandError, CommandParser
from tqdm import tqdm

from studies.command import StudyCommand
from studies.mutants.mutate import SEPARATOR, Mutant, mutants
from studies.mutants.study import EQUIVALENT, PAPER, ROOT, changed_since, digest, equivalent, rates, tests_of


class Command(StudyCommand):
    help = (
        "Change one thing in a rule, run the tests that reach it, and list the changes that no test notices. "
        "With --json, what ran is kept after each mutant, and the same command goes on. Fails at a survivor that "
        "studies/mutants/equivalent.txt does not explain."
    )

    def add_options(self, parser: CommandParser) -> None:
        parser.add_argument("files", nargs="*", metavar="FILE", help="rules (those of the paper's protocol)")
        parser.add_argument("--since", metavar="REV", help="only files that changed since this revision of git")
        parser.add_argument("--sample", type=int, metavar="N", help="only so many mutants, drawn from --seed")
        parser.add_argument("--seed", type=int, default=0, help="of the sample (0)")

    def study(self, options: dict[str, Any]) -> Any:
        files = options["files"] or list(PAPER)
        if missing := [file for file in files if not (ROOT / file).is_file()]:
            raise CommandError(f"There is no {missing[0]}: name files of rules as they stand in the checkout.")
        if options["since"]:
            files = changed_since(options["since"], files, ROOT)
        chosen = [mutant for file in files for mutant in mutants(file, (ROOT / file).read_text(encoding="utf-8"))]
        if options["sample"]:
            chosen = random.Random(options["seed"]).sample(chosen, min(options["sample"], len(chosen)))
        known = equivalent(EQUIVALENT.read_text(encoding="utf-8"))
        killed = self._killed(chosen, options["json"])
        table = rates(killed, known)
        for file, row in table.items():
            counts = f"{row['killed']} of {row['mutants']} killed, {row['equivalent']} of the others equivalent"
            self.say(f"{file}: {counts}: {row['share']:.1%}")
        survivors = [one for one in chosen if not killed[one.key] and one.key not in known]
        for survivor in survivors:
            self.say(f"SURVIVED in line {survivor.lines.start}: {survivor.key}")
        whole = set() if options["sample"] else set(files)
        wrong = [key for key in known if killed.get(key, key not in killed and key.partition(SEPARATOR)[0] in whole)]
        for key in wrong:
            self.say(f"NOT EQUIVALENT, as it is killed or gone: {key}")
        if survivors or wrong:
            raise CommandError(f"{len(survivors)} survivors; {len(wrong)} wrong lines in {EQUIVALENT.name}.")
        return {"digest": digest(ROOT), "files": table, "killed": killed}

    def _killed(self, chosen: Sequence[Mutant], kept: Path | None) -> dict[str, bool]:
        """Return by key whether each mutant is killed, kept after each: an earlier run of the same texts counts."""
        before = json.loads(kept.read_text() or "{}") if kept else {}
        now = digest(ROOT)
        killed: dict[str, bool] = before["killed"] if before.get("digest") == now else {}
        left = [one for one in chosen if one.key not in killed]
        if left:
            files = list(dict.fromkeys(one.file for one in left))
            with tests_of(files, ROOT) as tests, tqdm(total=len(left), unit="mutant", disable=None) as bar:
                for test in tests.failed:
                    self.say(f"left out, as it fails on its own: {test}")
                for one in left:
                    killed[one.key] = tests.kill(one)
                    bar.update()
                    if kept:
                        kept.write_text(json.dumps({"digest": now, "killed": killed}, indent=1))
        return {one.key: killed[one.key] for one in chosen}
