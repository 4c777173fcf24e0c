"""The options of a study's command that describe made-up programs."""

from typing import Any

from django.core.management.base import CommandError, CommandParser

from studies.whole_campaign.colleagues import Programs

SHARES = ("proposer", "placed", "annotator", "blind")


def add_programs(parser: CommandParser) -> None:
    """Add the options of a proposer and a model annotator."""
    parser.add_argument("--proposer", type=float, metavar="SHARE", help="a program whose boxes are good this often")
    parser.add_argument(
        "--annotator", type=float, metavar="SHARE", help="a program whose judgments are wrong this often"
    )
    parser.add_argument("--turns", type=int, metavar="N", help="the model annotator guesses from this image on")
    parser.add_argument(
        "--blind", type=float, default=0.0, metavar="SHARE", help="of the proposer's bad boxes, called good besides"
    )


def programs_of(options: dict[str, Any]) -> Programs:
    """Return the programs that the options describe. Raises CommandError that names a wrong one."""
    for name in SHARES:
        share = options.get(name)
        if share is not None and not 0 <= share <= 1:
            raise CommandError(f"--{name} {share:g}: give a share from 0 to 1.")
    if options["annotator"] is None and (options["turns"] or options["blind"]):
        raise CommandError("--turns and --blind describe a model annotator: give --annotator, too.")
    wrong, turns = options["annotator"], options["turns"]
    model_annotator = None if wrong is None else lambda image: wrong if turns is None or image < turns else 0.5
    return Programs(options["proposer"], model_annotator, options["blind"], options.get("placed"))
