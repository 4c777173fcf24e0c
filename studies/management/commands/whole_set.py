"""python -m studies whole_set: as many images as Flickr30k through the service, from the import to the export."""

import fcntl
import json
import os
import shutil
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType
from typing import Any

from django.conf import settings
from django.core.management import call_command
from django.core.management.base import CommandError, CommandParser

from studies.command import StudyCommand
from studies.pipeline_speed.figure import machine
from studies.whole_set.figures import figures_of, write_charts
from studies.whole_set.made_set import SCENES, SEED, MadeSet
from studies.whole_set.meter import statement_words, table_sizes
from studies.whole_set.notes import Notes
from studies.whole_set.phases import WholeSet
from studies.whole_set.service import environment, run_inside
from studies.whole_set.ways import WAYS
from tests.support.services import ServiceError

SIGNALS = (signal.SIGINT, signal.SIGTERM)
STOPPED = "Stopped. Everything so far is kept: the same command goes on."


class Command(StudyCommand):
    help = (
        "Send made images through the whole service: import, simulated crowd, merging, exports, replay, statistics. "
        "Whatever ends it, the same command goes on. Workers are simulated."
    )
    least = {"images": 1, "scenes": 1}

    def add_options(self, parser: CommandParser) -> None:
        parser.add_argument("--images", type=int, default=31_783, help="how many (31783, as in the paper)")
        parser.add_argument("--way", choices=list(WAYS), default="paper", help="the way to ask (paper)")
        parser.add_argument("--embedded", action="store_true", help="SQLite, jobs in place; else PostgreSQL and Celery")
        parser.add_argument("--scenes", type=int, default=SCENES, help=f"pictures that are drawn ({SCENES})")
        parser.add_argument("--folder", type=Path, help="where everything is kept (var/whole_set/…)")
        parser.add_argument("--anew", action="store_true", help="delete what the folder holds of an earlier run")
        parser.add_argument("--inside", action="store_true", help="as part of a service that runs; for itself alone")

    def study(self, options: dict[str, Any]) -> Any:
        folder = options["folder"] or _usual_folder(options)
        folder = folder.expanduser().resolve()
        return self._inside(folder, options) if options["inside"] else self._around(folder, options)

    def _around(self, folder: Path, options: dict[str, Any]) -> Any:
        """Run the service, and the campaign in a process that is part of it."""
        with _alone(folder):
            if options["anew"]:
                _empty(folder)
            Notes(folder, _asked(options)).save()
            self.say(f"Everything is kept in {folder}; workers are simulated.")
            arguments = ["whole_set", "--inside", "--folder", str(folder)]
            arguments += [part for name in ("images", "way", "scenes") for part in (f"--{name}", str(options[name]))]
            arguments += ["--embedded"] if options["embedded"] else []
            try:
                with environment(folder, embedded=options["embedded"]) as env:
                    code = run_inside(env, arguments)
            except ServiceError as error:
                raise CommandError(str(error)) from error
            except KeyboardInterrupt:
                raise CommandError(STOPPED) from None
            if code:
                raise CommandError(
                    STOPPED if code in (130, *(-one for one in SIGNALS)) else "The campaign failed, as told above."
                )
        return json.loads((folder / "figures.json").read_text(encoding="utf-8"))

    def _inside(self, folder: Path, options: dict[str, Any]) -> Any:
        for number in SIGNALS:
            signal.signal(number, _stop)
        if options["embedded"]:
            call_command("migrate", verbosity=0)
        notes = Notes(folder, _asked(options))
        made = MadeSet(options["images"], options["scenes"])
        served = not options["embedded"]
        try:
            WholeSet(made, options["way"], folder, notes, self.say, served, os.getppid() if served else None).run()
        except KeyboardInterrupt:
            raise SystemExit(130) from None
        (folder / "statement_words.json").write_text(json.dumps(statement_words()), encoding="utf-8")
        figures = {"way": options["way"], "embedded": options["embedded"], "machine": machine()}
        figures |= {**figures_of(folder, notes), "tables": table_sizes()}
        (folder / "figures.json").write_text(json.dumps(figures, indent=1) + "\n", encoding="utf-8")
        charts = write_charts(folder)
        self.say(_summary(figures))
        self.say(f"Table: {folder / 'table.csv'}; charts: {', '.join(map(str, charts))}")
        return figures


def _stop(number: int, frame: FrameType | None) -> None:
    """Stop in order. A second signal, such as one to the whole group of processes, changes nothing."""
    for one in SIGNALS:
        signal.signal(one, signal.SIG_IGN)
    raise KeyboardInterrupt


def _asked(options: dict[str, Any]) -> dict[str, Any]:
    return {name: options[name] for name in ("images", "way", "embedded", "scenes")} | {"seed": SEED}


def _usual_folder(options: dict[str, Any]) -> Path:
    kind = "embedded" if options["embedded"] else "server"
    return Path(settings.BASE_DIR) / "var" / "whole_set" / f"{options['way']}-{options['images']}-{kind}"


@contextmanager
def _alone(folder: Path) -> Iterator[None]:
    """Hold the folder until the block ends. Raises CommandError if another process does."""
    folder.mkdir(parents=True, exist_ok=True)
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        yield
    except BlockingIOError:
        raise CommandError(f"{folder}: another process is at work there. Wait for it, or give --folder.") from None
    finally:
        os.close(descriptor)


def _empty(folder: Path) -> None:
    """Delete what a set has left in the folder. Raises CommandError for a folder that holds something else."""
    if any(folder.iterdir()) and not (folder / "notes.json").exists():
        raise CommandError(f"{folder} holds something else than a whole set: give another --folder.")
    for one in folder.iterdir():
        shutil.rmtree(one) if one.is_dir() else one.unlink()


def _summary(figures: dict[str, Any]) -> str:
    images, merged, judgments = (figures[name] for name in ("images", "merged", "judgments"))
    exports = ", ".join(f"{name} {speed:,.0f}" for name, speed in figures["exported_per_second"].items())
    first, last = figures["first_tenth"].get("ms"), figures["last_tenth"].get("ms")
    tenths = f"{first:.2f} and {last:.2f} ms" if first and last else "too few to tell"
    return "\n".join(
        (
            f"{images:,} images, {merged:,} merged, {images - merged:,} left to an expert's review; "
            f"{judgments:,} simulated judgments.",
            f"From import to export {figures['seconds']:,.0f} s; first and last tenth: {tenths} a judgment.",
            f"Replay: {'equal' if figures['replay_equal'] else 'DIFFERS'}. Images exported a second: {exports}.",
        )
    )
