"""Write an export together with its card: README.md for people, croissant.json for programs.

A folder holds its card. That of a file lies beside it, in a folder with its name and `.card`, so that no program that
looks for exports by their endings takes the card for one.
"""

import json
import re
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from html import escape
from pathlib import Path

from annotation.data_card import CARD_FIELDS
from exchange.atomic import TargetExists, atomic_with_beside
from exchange.data_card import sentences as say
from exchange.data_card.counts import agreement
from exchange.data_card.croissant import croissant, file_sets, single_files
from exchange.data_card.facts import PERSON, PROGRAM, VIRTUAL, Facts
from exchange.formats.format import DataFiles
from pipeline.protocol.tasks.task import Task
from runtime.words import counted, interval, percent

ADDRESS = re.compile(r"https?://[\w./~%?=&#:+,;@!$-]+")
MARKUP = re.compile(r"([\\`*_{}\[\]#!|~$])")
"""Signs that act within a line of Markdown: no text of a requester begins one."""
RIGHT_TO_LEFT = frozenset({"R", "AL", "RLE", "RLO", "RLI", "LRE", "LRO", "LRI", "FSI", "PDF", "PDI"})
NEWLINES = re.compile(r"\r\n|[\n\r\v\f\x1c-\x1e\x85\u2028\u2029]")
"""Characters that end a line, for people or for programs."""
HIDDEN = re.compile(r"[\x00-\x08\x0e-\x1f\x7f-\x9f\ud800-\udfff\ufffe\uffff]")
"""Characters that YAML takes only written out."""


def plain(text: str) -> str:
    """Return a text of a requester as one line of Markdown: an address is a link, everything else is only text."""
    if ADDRESS.fullmatch(text):
        return f"<{text}>"
    lines = [_line(line) for line in NEWLINES.split(text.strip())]
    shown = "<br>".join(lines)
    turned = any(unicodedata.bidirectional(letter) in RIGHT_TO_LEFT for letter in text)
    return f'<bdi dir="auto">{shown}</bdi>' if turned else shown


def _line(line: str) -> str:
    text = HIDDEN.sub("\ufffd", line)
    return MARKUP.sub(r"\\\1", escape(text, quote=False))


def markdown_table(heads: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Return a table; empty without rows. A head that begins with > is that of a column of numbers."""
    lines = [f"| {' | '.join(row)} |" for row in rows]
    if not lines:
        return ""
    marks = ("---:" if head.startswith(">") else "---" for head in heads)
    names = (head.removeprefix(">") for head in heads)
    return "\n".join([f"| {' | '.join(names)} |", f"| {' | '.join(marks)} |", *lines])


def bullets(sentences: Iterable[str]) -> str:
    return "\n".join(f"- {sentence}" for sentence in sentences)


def code(text: str) -> str:
    """Return a text of several lines as code, whatever it holds."""
    fence = "`" * max(3, 1 + max(map(len, re.findall("`+", text)), default=0))
    shown = "\n".join(HIDDEN.sub("\ufffd", line) for line in NEWLINES.split(text.strip()))
    return f"{fence}\n{shown}\n{fence}"


def yaml_text(text: str) -> str:
    """Return a text as one of YAML, on one line. JSON's texts are YAML's, but for characters that YAML refuses."""
    quoted = json.dumps(text, ensure_ascii=False)
    return re.sub(
        r"[\x7f-\x9f\u2028\u2029\ud800-\udfff\ufeff\ufffe\uffff]", lambda one: f"\\u{ord(one[0]):04x}", quoted
    )


LICENSES = (
    *("apache-2.0", "mit", "cc0-1.0", "pddl", "odbl", "odc-by", "unlicense", "gpl-3.0", "lgpl-3.0", "agpl-3.0"),
    *("cc-by-2.0", "cc-by-2.5", "cc-by-3.0", "cc-by-4.0", "cc-by-sa-3.0", "cc-by-sa-4.0", "cc-by-nc-2.0"),
    *("cc-by-nc-3.0", "cc-by-nc-4.0", "cc-by-nd-4.0", "cc-by-nc-nd-3.0", "cc-by-nc-nd-4.0", "cc-by-nc-sa-2.0"),
    *("cc-by-nc-sa-3.0", "cc-by-nc-sa-4.0", "cdla-sharing-1.0", "cdla-permissive-1.0", "cdla-permissive-2.0"),
    *("bsd-2-clause", "bsd-3-clause", "mpl-2.0", "isc"),
)
"""Licenses that Hugging Face's hub knows by name."""
SIZES = ((1_000, "n<1K"), (10_000, "1K<n<10K"), (100_000, "10K<n<100K"), (1_000_000, "100K<n<1M"))
LARGE = "1M<n<10M"
LONGEST_NAME = 80
WHOLE = "train"
"""The part of an export without parts, as `datasets` calls it."""


def front_matter(facts: Facts, root: Path) -> str:
    """Return the YAML between its two lines of hyphens. Every text of a requester in it is quoted."""
    size = next((name for most, name in SIZES if facts.images < most), LARGE)
    lines = [f"pretty_name: {yaml_text(facts.title)}", *_license(facts.given["license"])]
    if language := re.match("[a-z]{2,3}", facts.work.settings.caption_language.lower()):
        lines += ["language:", f"- {language[0]}"]
    lines += ["task_categories:", "- object-detection", "- image-to-text"]
    lines += ["size_categories:", f"- {size}"]
    lines += ["tags:", "- phrase-grounding", "- coreference"]
    if data_files := facts.export_format.data_files:
        lines += _configs(facts, root, data_files)
    return "\n".join(["---", *lines, "---"])


def _license(text: str) -> Iterator[str]:
    name = " ".join(text.split()).lower().replace(" ", "-")
    if not text:
        yield "license: unknown"
    elif name in LICENSES:
        yield f"license: {name}"
    else:
        yield "license: other"
        yield f"license_name: {yaml_text(' '.join(text.split())[:LONGEST_NAME])}"
        if ADDRESS.fullmatch(text):
            yield f"license_link: {yaml_text(text)}"


def _configs(facts: Facts, root: Path, data_files: DataFiles) -> Iterator[str]:
    """Yield where the rows of each part are."""
    yield from ("configs:", "- config_name: default", "  data_files:")
    sets = file_sets(root, facts.parts, facts.packed)
    for part in facts.parts or (WHOLE,):
        yield f"  - split: {yaml_text(part)}"
        yield "    path:"
        folder = part if facts.parts else ""
        pictures = [pattern for files in sets if files.folder == folder for pattern in files.includes]
        yield from (f"    - {yaml_text(pattern)}" for pattern in data_files(part, folder, pictures))


NOTHING = "–"
WORKER_KINDS = {PERSON: "people", VIRTUAL: "simulated workers", PROGRAM: "programs"}
ON_TOP = ("license", "source", "creators", "institution", "url", "contact")
BELOW = ("uses", "biases", "sensitive", "maintenance")
CHANCE = (
    "Alpha is Krippendorff's, for nominal answers: 1 is full agreement, 0 what chance would give. Where nearly all "
    "answers are the same it is low although most pairs agree. Both figures are of questions with at least two answers."
)
DRAWINGS = "Drawings are compared by their IOU, over pairs of boxes that answer one question."


def readme(facts: Facts, root: Path, above: str) -> str:
    """Return the card of the export in `root`. `above`: the way to it from the card's folder."""
    blocks = [front_matter(facts, root), f"# {plain(facts.title)}"]
    if simulated := say.simulation(facts):
        blocks.append(f"> **{simulated}**")
    blocks += [say.summary(facts), _given(facts, ON_TOP)]
    sections = {
        "What is in it": _contents(facts, root, above),
        "How it was annotated": _annotated(facts),
        "Who annotated": _people(facts),
        "How far answers agree": _agreement(facts),
        "Verification questions": _verified(facts),
        "Said and right": _calibration(facts),
        "Settings": _settings(facts),
        "Known limits": iter([bullets(say.limits(facts))]),
        "Uses, biases, sensitive information, maintenance": iter([_given(facts, BELOW)]),
        "Citation": iter(
            [code(facts.given["citation"]) if facts.given["citation"] else f"{say.NOT_GIVEN.capitalize()}."]
        ),
    }
    for head, parts in sections.items():
        if found := [part for part in parts if part]:
            blocks += [f"## {head}", *found]
    blocks.append(
        f"Chainbox wrote this card with the export, from the project's record: version {facts.version} of the data, "
        f"which is version {facts.work.newest} of the settings and "
        f"{counted(facts.rows.entries, 'entry', 'entries')} of the record. `croissant.json` tells programs the same."
    )
    return "\n\n".join(blocks) + "\n"


def _given(facts: Facts, names: tuple[str, ...]) -> str:
    """Return what the requester gave of these fields, and which of them are missing."""
    fields = [field for field in CARD_FIELDS if field.name in names]
    rows = [(field.label, plain(facts.given[field.name])) for field in fields if facts.given[field.name]]
    missing = [field.label.lower() for field in fields if not facts.given[field.name]]
    told = [markdown_table(("", "as its requester says"), rows), f"Not given: {', '.join(missing)}." if missing else ""]
    return "\n\n".join(filter(None, told))


def _contents(facts: Facts, root: Path, above: str) -> Iterator[str]:
    rows = facts.rows
    counts = [("pictures", facts.images), ("captions", rows.captions)]
    if not facts.project.survey:
        counts += [("phrases", rows.phrases), ("chains", rows.chains), ("chains of a scene", rows.scenes)]
        counts += [("other chains without a box", rows.without_box), ("boxes", facts.boxes)]
    if rows.category_boxes:
        counts.append(("boxes of the import, with a category and no chain", rows.category_boxes))
    yield markdown_table(("", ">number"), [(what, f"{number:,}") for what, number in counts])
    yield markdown_table(("type", ">phrases"), [(kind, f"{number:,}") for kind, number in sorted(rows.by_type.items())])
    files = [f"`{above}{path}`" for path in single_files(root)]
    files += [
        f"{counted(set_.count, 'file')} `{above}{set_.includes[0]}`"
        for set_ in file_sets(root, facts.parts, facts.packed)
    ]
    parts = f" Parts: {', '.join(facts.parts)}." if facts.parts else ""
    yield f"Format: {facts.export_format.name}.{parts} Files: {', '.join(files)}."


def _annotated(facts: Facts) -> Iterator[str]:
    yield " ".join(say.protocol(facts))
    rows = [
        (
            task.label,
            say.ASKED[task],
            f"{counts.questions:,}",
            f"{counts.answers:,}",
            f"{counts.answers / counts.questions:.2f}",
            f"{counts.most}",
        )
        for task, counts in facts.tasks
    ]
    yield markdown_table(
        ("task", "what workers were asked", ">questions", ">answers", ">answers a question", ">at most"), rows
    )


def _people(facts: Facts) -> Iterator[str]:
    kinds = [kind for kind in WORKER_KINDS if facts.by_kind[kind]]
    if not kinds:
        return
    yield markdown_table(
        ("", ">workers", ">answers", ">share"),
        [
            (
                WORKER_KINDS[kind],
                f"{facts.workers[kind]:,}",
                f"{facts.by_kind[kind]:,}",
                percent(say.share_of(facts, kind), 1),
            )
            for kind in kinds
        ],
    )
    tasks = [task for task, _ in facts.tasks]
    programs = sorted(facts.answers.programs.items())
    yield markdown_table(
        ("program", *(f">{task.label}" for task in tasks)),
        [(plain(name), *(f"{by_task[task]:,}" for task in tasks)) for name, by_task in programs],
    )
    if facts.rows.by_programs:
        yield f"Programs drew or proposed {facts.rows.by_programs:,} of {facts.rows.accepted:,} accepted boxes."
    yield bullets(_hired(facts))


def _hired(facts: Facts) -> Iterator[str]:
    if recruited := say.recruited(facts):
        yield f"Recruited: {recruited}."
    yield say.pay(facts)
    yield say.says("Recruiting and pay, as the requester says", plain(facts.given["recruiting"]))
    work = facts.work
    if work.trusted or work.barred:
        yield f"Trusted on a task: {counted(work.trusted, 'worker')}; barred from one: {work.barred:,}."
    yield "Demographics of workers: not collected."


def _agreement(facts: Facts) -> Iterator[str]:
    rows, drawn = [], ""
    for task, counts in facts.tasks:
        if task is Task.BOX_DRAWING:
            drawn = _drawings(facts)
            continue
        found, others = agreement(counts.profiles), agreement(counts.without_programs)
        if found.share is None:
            rows.append((task.label, "0", *[NOTHING] * 3))
            continue
        alone = NOTHING if not facts.answers.programs else _alpha(others.alpha)
        rows.append((task.label, f"{found.questions:,}", percent(found.share, 1), _alpha(found.alpha), alone))
    heads = ["task", ">questions", ">pairs that agree", ">alpha", ">alpha without programs"]
    if not facts.answers.programs:
        heads, rows = heads[:-1], [row[:-1] for row in rows]
    yield markdown_table(heads, rows)
    if rows:
        yield CHANCE
    yield drawn


def _alpha(alpha: float | None) -> str:
    return "not defined" if alpha is None else f"{alpha:.3f}"


def _drawings(facts: Facts) -> str:
    overlap, judged = facts.answers.tasks[Task.BOX_DRAWING].overlap, facts.answers.tasks.get(Task.BOX_QUALITY)
    found = []
    if overlap.mean is not None:
        found.append(
            f"{DRAWINGS} Mean {overlap.mean:.3f}, {percent(overlap.alike / overlap.pairs, 1)} at least 0.5, over "
            f"{counted(overlap.pairs, 'pair')}."
        )
    else:
        found.append("No question about a drawing has two boxes that could be compared.")
    if judged and judged.answers:
        found.append(
            f"Judges called new boxes good in {percent(judged.by_word['good'] / judged.answers, 1)} of answers."
        )
    return " ".join(found)


def _verified(facts: Facts) -> Iterator[str]:
    rows = [
        (
            task.label,
            f"{known.questions:,}",
            f"{known.answers:,}",
            percent(known.right / known.answers, 1),
            percent(known.programs_right / known.by_programs, 1) if known.by_programs else NOTHING,
            percent(facts.work.settings.minimum[task]),
        )
        for task, known in facts.work.verified
    ]
    if not rows:
        yield "None was answered."
        return
    yield (
        "Questions with a known answer, mixed among the others, in the whole project. A drawing is right if its IOU "
        "with a known box is at least 0.5."
    )
    yield markdown_table(("task", ">questions", ">answers", ">right", ">of programs", ">asked of workers"), rows)
    if facts.work.tests:
        tested = sum(known.answers for _, known in facts.work.tests)
        right = sum(known.right for _, known in facts.work.tests)
        yield f"Qualification tests: {counted(tested, 'answer')}, {percent(right / tested, 1)} right."


def _calibration(facts: Facts) -> Iterator[str]:
    rows = [
        (
            plain(calibrated.answers_of),
            calibrated.about,
            f"{calibrated.calibration.forecasts:,}",
            percent(calibrated.calibration.mean_chance, 1),
            percent(calibrated.calibration.right, 1),
            interval(calibrated.calibration.low, calibrated.calibration.high, 1),
        )
        for calibrated in facts.work.calibration
        if calibrated.calibration.forecasts
    ]
    if rows:
        yield (
            "How sure the project was of boxes and links with somebody's answers, and how often people's later answers "
            "bear that out."
        )
        yield markdown_table(("answers of", "about", ">claims", ">said", ">right", ">99 % interval"), rows)


def _settings(facts: Facts) -> Iterator[str]:
    rows = [
        (
            f"{version.number}",
            version.at.date().isoformat(),
            f"{version.entries:,}",
            ", ".join(plain(label) for label in version.changed) or NOTHING,
        )
        for version in facts.versions
    ]
    yield markdown_table((">version", "since", ">entries of the record under it", "settings changed"), rows)


README, CROISSANT = "README.md", "croissant.json"
FILES = frozenset({README, CROISSANT})
ENDING = ".card"


@contextmanager
def with_card(target: Path, *, folder: bool) -> Iterator[Path]:
    """Yield a path to write the export at, and then its card: both appear when the block ends, or nothing does.

    `folder`: whether the export is one. The card of an export that is gone is replaced. Raises TargetExists if the
    target is not empty, or if something else lies in the place of its card.
    """
    beside = _beside(target)
    if not folder and beside.exists() and not (beside.is_dir() and {file.name for file in beside.iterdir()} <= FILES):
        raise TargetExists(f"{beside} is in the place of the export's card: remove it or choose another name")
    with atomic_with_beside(target, beside, folder=folder) as place:
        yield place


def write_card(facts: Facts, root: Path) -> None:
    """Write the card of the export in `root`. The same facts and files give the same bytes."""
    folder, above = (root, "") if root.is_dir() else (_beside(root), "../")
    card = json.dumps(croissant(facts, root, above), ensure_ascii=False, indent=2)
    text = readme(facts, root, above)
    folder.mkdir(exist_ok=True)
    (folder / CROISSANT).write_text(f"{card}\n", encoding="utf-8")
    (folder / README).write_text(text, encoding="utf-8", newline="\n")


def _beside(target: Path) -> Path:
    return target.with_name(target.name + ENDING)
