"""Papers whose protocols and metrics the systems follow, as a report cites them."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple


class Paper(NamedTuple):
    authors: str
    """As BibTeX has them: names joined by " and "."""
    title: str
    venue: str
    year: int

    @property
    def line(self) -> str:
        """Return the paper in a line: authors, title, venue, year."""
        names = [name.split(",")[0] for name in self.authors.split(" and ")]
        told = names[0] if len(names) == 1 else " and ".join(names) if len(names) == 2 else f"{names[0]} et al."
        return f"{told}: {self.title}. {self.venue}, {self.year}."


def _papers() -> Iterator[tuple[str, Paper]]:
    """Yield the papers of papers.txt by their keys: a line each, with tabs between."""
    for line in Path(__file__).with_name("papers.txt").read_text(encoding="utf-8").splitlines():
        key, authors, title, venue, year = line.split("\t")
        yield key, Paper(authors, title, venue, int(year))


PAPERS = dict(_papers())
CITED = {
    "content_selection": ("wang2015",),
    "coreference": ("vilain1995", "bagga1998", "luo2005", "recasens2011", "luo2014", "moosavi2016", "pradhan2012"),
    "dataset": ("vilain1995", "bagga1998", "luo2005", "recasens2011", "luo2014", "moosavi2016", "pradhan2012"),
    "foil": ("shekhar2017",),
    "localization": ("plummer2017",),
    "localization score": ("plummer2017", "kamath2021"),
    "oracle": ("yao2016",),
    "oracle score": ("yao2016", "chen2015"),
    "retrieval": ("plummer2017",),
}
"""The papers of each system, or of a step with papers of its own."""


def cited_by(step: str) -> Sequence[str]:
    """Return the keys of the papers whose protocol a step follows. `step`: such as "localization score"."""
    return CITED.get(step) or CITED.get(step.partition(" ")[0], ())


def bibtex(keys: Sequence[str]) -> str:
    """Return the papers as a file of BibTeX."""
    return "".join(_entry(key, PAPERS[key]) for key in keys)


def _entry(key: str, paper: Paper) -> str:
    fields = {"author": paper.authors, "title": f"{{{paper.title}}}", "note": paper.venue, "year": str(paper.year)}
    return f"@misc{{{key},\n" + "".join(f"  {name} = {{{value}}},\n" for name, value in fields.items()) + "}\n"
