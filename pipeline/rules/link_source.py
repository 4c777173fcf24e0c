"""Link sources [paper 3.1.1, figure 3]: what a link of the finished data set comes from; the last one to act counts."""

from enum import StrEnum


class LinkSource(StrEnum):
    ASKED_YES = "asked yes"
    ASKED_NO = "asked no"
    REASKED = "re-asked"
    TRANSITIVITY = "inferred by transitivity"
    POSTERIOR = "inferred from the posterior"
    OVERRULED = "overruled"
    SPLIT = "split by verification"
    MERGED = "merged by boxes"
    EXPERT = "set by an expert"
    CAPTION = "ruled out by caption"
    TYPE = "ruled out by type"
