"""Every example of a file in the documentation is one that is read."""

import json
from collections.abc import Iterator
from pathlib import Path
from textwrap import dedent
from typing import Any

from campaign.schemas.validate_file import validate_file

DOCS = Path(__file__).parents[3] / "docs"
KINDS = {
    "bring_a_model.md": ["predictions", "predictions", "predictions", "coco-results"],
    "evaluate.md": ["scenes"],
    "evaluate_foil.md": ["foil-items"],
    "evaluate_localization.md": ["proposals"],
    "evaluate_oracle.md": ["atom-votes"],
    "verification_questions.md": ["gold"],
    "watch.md": [],
}
"""The kinds of the examples of each page. Those of watch.md are messages of the service, no files."""


def examples(page: Path) -> Iterator[Any]:
    """Yield the JSON values that begin an indented line, and may go on in the next ones."""
    lines = page.read_text(encoding="utf-8").splitlines()
    for number, line in enumerate(lines):
        if line.startswith(("    {", "    [{", "       {")) and not line.strip().startswith('{"phrases"'):
            yield json.JSONDecoder().raw_decode(dedent("\n".join(lines[number:])).lstrip())[0]


def test_every_example_of_a_file_is_valid(tmp_path: Path) -> None:
    found: dict[str, list[str]] = {}
    for page in sorted(DOCS.rglob("*.md")):
        for value in examples(page):
            kinds = found.setdefault(page.name, [])
            if page.name != "watch.md":
                path = tmp_path / "example"
                path.write_text(json.dumps(value), encoding="utf-8")
                checked = validate_file(path, most=9)
                assert checked.faults == [], page.name
                kinds.append(checked.kind.name)
    assert found == KINDS
