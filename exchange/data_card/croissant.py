"""The card for programs: Croissant 1.0 with its responsible-AI vocabulary, as JSON-LD.

docs/reference/formats.md says what is in it.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from annotation.data_card import ADDRESS
from exchange.data_card import sentences as say
from exchange.data_card.agreement import agreement
from exchange.data_card.distribution import file_object, file_sets, single_files
from exchange.data_card.facts import PERSON, PROGRAM, VIRTUAL, Facts
from exchange.data_card.record_sets import record_sets
from pipeline.protocol.tasks.task import Task
from runtime.words import counted, percent

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
KINDS = {PERSON: "Manual Human Curator", PROGRAM: "Software Collection", VIRTUAL: "Software Collection"}
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
    kinds = [KINDS[kind] for kind in KINDS if facts.by_kind[kind]]
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
        [
            say.says("Of pictures and captions", given["sensitive"]),
            "Nothing in this card tells who a worker is.",
        ],
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
