"""The card for programs: Croissant 1.0 with its responsible-AI vocabulary, as JSON-LD.

docs/reference/formats.md says what is in it.
"""

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from hashlib import file_digest
from itertools import chain
from mimetypes import guess_type
from pathlib import Path, PurePosixPath
from typing import Any, NamedTuple

from annotation.data_card import ADDRESS
from exchange.data_card import sentences as say
from exchange.data_card.counts import agreement
from exchange.data_card.facts import PERSON, PROGRAM, VIRTUAL, Facts
from exchange.formats.format import Column, Rows
from pipeline.protocol.tasks.task import Task
from runtime.words import counted, percent

ENCODINGS = {
    ".json": "application/json",
    ".jsonl": "application/jsonlines",
    ".parquet": "application/x-parquet",
    ".txt": "text/plain",
    ".xml": "text/xml",
}
SINGLE = (".json", ".jsonl")
"""Endings of files that are named one by one."""


KNOWN = ("Annotations", "Sentences", "data", "images")
"""Folders of formats: whatever lies below one belongs together."""


@dataclass(frozen=True, slots=True)
class FileSet:
    """The files below a folder with the same ending."""

    folder: str
    """Its path below the export; empty: the export itself."""
    suffix: str
    """The ending, in lower case."""
    endings: tuple[str, ...]
    """The ending as the files have it: some have .JPG and others .jpg."""
    count: int
    is_deep: bool
    """Whether some lie in folders of the folder."""

    @property
    def id(self) -> str:
        return f"{self.folder or 'files'}-{self.suffix.lstrip('.')}"

    @property
    def includes(self) -> list[str]:
        """The patterns of the paths of its files."""
        prefix = f"{self.folder}/" if self.folder else ""
        depths = ("*", "**/*") if self.is_deep else ("*",)
        return [f"{prefix}{depth}{ending}" for depth in depths for ending in self.endings]

    def as_json(self) -> dict[str, Any]:
        return {
            "@type": "cr:FileSet",
            "@id": self.id,
            "name": self.id,
            "description": f"{self.count:,} files.",
            "encodingFormat": encoding(self.suffix),
            "includes": self.includes,
        }


def encoding(suffix: str) -> str:
    """Return the media type of files with this ending."""
    return ENCODINGS.get(suffix) or guess_type(f"x{suffix}", strict=False)[0] or "application/octet-stream"


def single_files(root: Path) -> list[str]:
    """Return the paths of the files that are named one by one: below the export or, of a file, its name."""
    if root.is_file():
        return [root.name]
    return sorted(
        file.relative_to(root).as_posix() for file in root.rglob("*") if file.is_file() and file.suffix in SINGLE
    )


def file_sets(root: Path, parts: Collection[str], packed: Iterable[str] = ()) -> list[FileSet]:
    """Return the sets of all other files, by the folder in which they lie and their ending.

    `packed`: the paths of files that are not on disk any more.
    """
    found: dict[tuple[str, str], Counter[str]] = defaultdict(Counter)
    deep = set()
    there = (
        (PurePosixPath(file.relative_to(root)) for file in root.rglob("*") if file.is_file()) if root.is_dir() else ()
    )
    for path in chain(there, map(PurePosixPath, packed)):
        if path.suffix not in SINGLE:
            folders = path.parts[:-1]
            first = 1 if folders and folders[0] in parts else 0
            kind = 1 if len(folders) > first and folders[first] in KNOWN else 0
            key = "/".join(folders[: first + kind]), path.suffix.lower()
            found[key][path.suffix] += 1
            if path.parent.as_posix() != (key[0] or "."):
                deep.add(key)
    return [
        FileSet(*key, tuple(sorted(endings)), endings.total(), key in deep) for key, endings in sorted(found.items())
    ]


def file_object(file: Path, id: str, url: str) -> dict[str, Any]:
    """Return the entry of a file, with its digest. `url`: its place as seen from the card."""
    with file.open("rb") as opened:
        digest = file_digest(opened, "sha256").hexdigest()
    return {
        "@type": "cr:FileObject",
        "@id": id,
        "name": PurePosixPath(url).name,
        "contentUrl": url,
        "contentSize": f"{file.stat().st_size} B",
        "encodingFormat": encoding(file.suffix),
        "sha256": digest,
    }


class RecordSet(NamedTuple):
    """The rows of one source."""

    source: str
    """The id of the file, or set of files, that holds them: a file with several lists of rows has an id for each."""
    path: str
    """The path of the file; empty: a set."""
    json: dict[str, Any]


def record_sets(
    rows_of_format: Collection[Rows], files: Mapping[str, str], sets: Iterable[FileSet], parts: Collection[str]
) -> Iterator[RecordSet]:
    """Yield the record sets of an export, each part's apart. `files`: the paths of files by their ids."""
    for id, path in files.items():
        name = PurePosixPath(id).name
        fitting = [rows for rows in rows_of_format if name.endswith(rows.files)]
        for place, rows in enumerate(fitting):
            source = f"{id}/{rows.within}" if place else id
            yield RecordSet(source, path, _record_set(rows, _part(path, parts), "cr:fileObject", source))
    for set_ in sets:
        for rows in rows_of_format:
            if set_.suffix in rows.files:
                yield RecordSet(set_.id, "", _record_set(rows, _part(set_.folder, parts), "cr:fileSet", set_.id))


def _part(path: str, parts: Collection[str]) -> str:
    """Return the part that a path belongs to; empty: the export has none."""
    first = path.split("/")[0]
    return next((part for part in (first, PurePosixPath(first).stem) if part in parts), "")


def _record_set(rows: Rows, part: str, kind: str, source: str) -> dict[str, Any]:
    name = f"{part}-{rows.name}" if part else rows.name
    return {
        "@type": "cr:RecordSet",
        "@id": name,
        "name": name,
        "description": rows.what,
        "field": [_field(name, rows, column, {kind.removeprefix("cr:"): {"@id": source}}) for column in rows.columns],
    }


def _field(of: str, rows: Rows, column: Column, source: dict[str, Any]) -> dict[str, Any]:
    place = column.place or column.name
    extract = {"jsonPath": f"$.{rows.within}[*].{place}"} if rows.within else {"column": place}
    if column.of_file:
        extract = {"fileProperty": column.of_file}
    found: dict[str, Any] = {
        "@type": "cr:Field",
        "@id": f"{of}/{column.name}",
        "name": column.name,
        "description": column.what,
        "dataType": column.data_type,
        "source": {**source, "extract": extract},
    }
    if column.paths:
        found["source"]["transform"] = [{"jsonPath": path} for path in column.paths]
    if column.many:
        found["repeated"] = True
    return found


VERSION = "http://mlcommons.org/croissant/1.0"
RESPONSIBLE = "http://mlcommons.org/croissant/RAI/1.0"
OF_CROISSANT = (
    *("citeAs", "column", "equivalentProperty", "extract", "field", "fileProperty", "fileObject", "fileSet", "format"),
    *("includes", "isLiveDataset", "jsonPath", "key", "md5", "parentField", "path", "recordSet", "references", "regex"),
    *("repeated", "replace", "samplingRate", "separator", "source", "subField", "transform"),
)
"""The terms of the vocabulary that stand for themselves."""
CONTEXT = {
    "@language": "en",
    "@vocab": "https://schema.org/",
    "cr": "http://mlcommons.org/croissant/",
    "rai": "http://mlcommons.org/croissant/RAI/",
    "dct": "http://purl.org/dc/terms/",
    "sc": "https://schema.org/",
    "conformsTo": "dct:conformsTo",
    "data": {"@id": "cr:data", "@type": "@json"},
    "dataType": {"@id": "cr:dataType", "@type": "@vocab"},
    "examples": {"@id": "cr:examples", "@type": "@json"},
    **{term: f"cr:{term}" for term in OF_CROISSANT},
}
ANNOTATION_KINDS = {PERSON: "Manual Human Curator", PROGRAM: "Software Collection", VIRTUAL: "Software Collection"}
"""The vocabulary's words for what workers of each kind did."""


def croissant(facts: Facts, root: Path, above: str) -> dict[str, Any]:
    """Return the card of the export in `root`, a folder or a file. `above`: the way to it from the card's folder."""
    given = facts.given
    files = {f"annotations{root.suffix}" if root.is_file() else path: path for path in single_files(root)}
    sets = file_sets(root, facts.parts, facts.packed)
    rows = list(record_sets(facts.export_format.record_sets, files, sets, facts.parts))
    objects = files | {row.source: row.path for row in rows if row.path}
    people = [{"@type": "sc:Person", "name": name.strip()} for name in given["creators"].splitlines() if name.strip()]
    houses = [{"@type": "sc:Organization", "name": given["institution"]}] if given["institution"] else []
    card: dict[str, Any] = {
        "@context": CONTEXT,
        "@type": "sc:Dataset",
        "conformsTo": [VERSION, RESPONSIBLE],
        "name": facts.title,
        "description": " ".join([say.summary(facts), *filter(None, [say.simulation(facts)])]),
        "version": facts.version,
        "datePublished": facts.changed.isoformat(),
        "dateCreated": facts.project.created_at.date().isoformat(),
        "license": given["license"] or say.NOT_GIVEN,
        "citeAs": given["citation"] or say.NOT_GIVEN,
        "keywords": ["phrase grounding", "coreference", "object detection", facts.export_format.name],
    }
    if ADDRESS.fullmatch(given["url"]):
        card["url"] = given["url"]
    if people or houses:
        card["creator"] = [*people, *houses]
    if houses:
        card["publisher"] = houses
    if language := facts.work.settings.caption_language:
        card["inLanguage"] = language
    card |= {f"rai:{name}": value for name, value in _responsible(facts)}
    card["distribution"] = [
        *(file_object(root if root.is_file() else root / path, id, above + path) for id, path in objects.items()),
        *(set_.as_json() for set_ in sets),
    ]
    card["recordSet"] = [row.json for row in rows]
    return card


def _responsible(facts: Facts) -> Iterator[tuple[str, Any]]:
    """Yield the properties of the responsible-AI vocabulary that the record, or the requester, can fill."""
    given, rows = facts.given, facts.rows
    yield "dataCollection", say.says("Source of pictures and captions", given["source"])
    kinds = [ANNOTATION_KINDS[kind] for kind in ANNOTATION_KINDS if facts.by_kind[kind]]
    yield "dataCollectionType", list(dict.fromkeys(kinds)) or ["Others"]
    if rows.answered_from and rows.answered_to:
        yield "dataCollectionTimeframe", [rows.answered_from.isoformat(), rows.answered_to.isoformat()]
    asked = [f"{task.label.capitalize()}: {say.ASKED[task]}" for task, _ in facts.tasks]
    yield "dataAnnotationProtocol", [*say.protocol(facts), *asked]
    hired = [text for text in (say.recruited(facts), given["recruiting"]) if text]
    yield "dataAnnotationPlatform", ["Chainbox", *hired, say.pay(facts)]
    yield "dataAnnotationAnalysis", list(_analysis(facts)) or ["No question has two answers that could be compared."]
    yield "annotationsPerItem", "; ".join(_per_item(facts)) or "None: nobody answered."
    yield "annotatorDemographics", ["Not collected.", say.workers(facts)]
    yield "machineAnnotationTools", list(_programs(facts)) or ["None: no program answered or drew."]
    yield "dataBiases", [say.says("Known biases", given["biases"])]
    simulated = [sentence for sentence in [say.simulation(facts)] if sentence]
    yield "dataLimitations", [*simulated, *say.limits(facts)] or ["None is known."]
    yield "dataUseCases", [say.says("Intended uses", given["uses"])]
    yield (
        "personalSensitiveInformation",
        [say.says("Of pictures and captions", given["sensitive"]), "Nothing in this card tells who a worker is."],
    )
    plan = (say.says(what.capitalize(), given[what]) for what in ("maintenance", "contact"))
    yield "dataReleaseMaintenancePlan", " ".join(plan)


def _analysis(facts: Facts) -> Iterator[str]:
    for task, counts in facts.tasks:
        found = agreement(counts.profiles)
        if found.share is None:
            continue
        alpha = "not defined" if found.alpha is None else f"{found.alpha:.3f}"
        yield (
            f"{task.label.capitalize()}: {percent(found.share, 1)} of the pairs of answers to one question agree, "
            f"Krippendorff's alpha (nominal) {alpha}, over {counted(found.questions, 'question')} with at least two "
            f"answers."
        )
    for task, known in facts.work.verified:
        yield (
            f"Verification questions, {task.label}: {percent(known.right / known.answers, 1)} of "
            f"{counted(known.answers, 'answer')} right."
        )


def _per_item(facts: Facts) -> Iterator[str]:
    for task, counts in facts.tasks:
        mean = counts.answers / counts.questions
        yield f"{task.label}: {mean:.2f} answers a question on average, {counts.most} at most"


def _programs(facts: Facts) -> Iterator[str]:
    for name, by_task in sorted(facts.answers.programs.items()):
        done = (f"{counted(by_task[task], 'answer')} to {task.label}" for task in Task if by_task[task])
        yield f"{name}: {', '.join(done)}"
    if facts.rows.by_programs:
        yield f"Programs drew or proposed {facts.rows.by_programs:,} of {facts.rows.accepted:,} accepted boxes."
