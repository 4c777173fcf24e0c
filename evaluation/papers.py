"""Papers whose protocols and metrics the systems follow, as a report cites them."""

from collections.abc import Sequence
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


PAPERS = {
    "plummer2017": Paper(
        "Plummer, Bryan A. and Wang, Liwei and Cervantes, Chris M. and Caicedo, Juan C. and Hockenmaier, Julia and "
        "Lazebnik, Svetlana",
        "Flickr30k Entities: Collecting Region-to-Phrase Correspondences for Richer Image-to-Sentence Models",
        "International Journal of Computer Vision",
        2017,
    ),
    "kamath2021": Paper(
        "Kamath, Aishwarya and Singh, Mannat and LeCun, Yann and Synnaeve, Gabriel and Misra, Ishan and Carion, "
        "Nicolas",
        "MDETR - Modulated Detection for End-to-End Multi-Modal Understanding",
        "ICCV",
        2021,
    ),
    "wang2015": Paper(
        "Wang, Josiah and Gaizauskas, Robert",
        "Generating Image Descriptions with Gold Standard Visual Inputs: Motivation, Evaluation and Baselines",
        "ENLG",
        2015,
    ),
    "shekhar2017": Paper(
        "Shekhar, Ravi and Pezzelle, Sandro and Klimovich, Yauhen and Herbelot, Aurelie and Nabi, Moin and Sangineto, "
        "Enver and Bernardi, Raffaella",
        "FOIL it! Find One mismatch between Image and Language caption",
        "ACL",
        2017,
    ),
    "yao2016": Paper(
        "Yao, Li and Ballas, Nicolas and Cho, Kyunghyun and Smith, John R. and Bengio, Yoshua",
        "Oracle performance for visual captioning",
        "BMVC",
        2016,
    ),
    "chen2015": Paper(
        "Chen, Xinlei and Fang, Hao and Lin, Tsung-Yi and Vedantam, Ramakrishna and Gupta, Saurabh and Dollar, Piotr "
        "and Zitnick, C. Lawrence",
        "Microsoft COCO Captions: Data Collection and Evaluation Server",
        "arXiv 1504.00325",
        2015,
    ),
    "vilain1995": Paper(
        "Vilain, Marc and Burger, John and Aberdeen, John and Connolly, Dennis and Hirschman, Lynette",
        "A Model-Theoretic Coreference Scoring Scheme",
        "MUC-6",
        1995,
    ),
    "bagga1998": Paper(
        "Bagga, Amit and Baldwin, Breck",
        "Algorithms for Scoring Coreference Chains",
        "LREC Workshop on Linguistic Coreference",
        1998,
    ),
    "luo2005": Paper("Luo, Xiaoqiang", "On Coreference Resolution Performance Metrics", "HLT/EMNLP", 2005),
    "recasens2011": Paper(
        "Recasens, Marta and Hovy, Eduard",
        "BLANC: Implementing the Rand Index for Coreference Evaluation",
        "Natural Language Engineering",
        2011,
    ),
    "luo2014": Paper(
        "Luo, Xiaoqiang and Pradhan, Sameer and Recasens, Marta and Hovy, Eduard",
        "An Extension of BLANC to System Mentions",
        "ACL",
        2014,
    ),
    "moosavi2016": Paper(
        "Moosavi, Nafise Sadat and Strube, Michael",
        "Which Coreference Evaluation Metric Do You Trust? A Proposal for a Link-based Entity Aware Metric",
        "ACL",
        2016,
    ),
    "pradhan2012": Paper(
        "Pradhan, Sameer and Moschitti, Alessandro and Xue, Nianwen and Uryupina, Olga and Zhang, Yuchen",
        "CoNLL-2012 Shared Task: Modeling Multilingual Unrestricted Coreference in OntoNotes",
        "EMNLP-CoNLL Shared Task",
        2012,
    ),
}
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
