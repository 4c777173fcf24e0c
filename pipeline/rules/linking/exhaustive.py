"""Exhaustive [paper 3.1.1]: every pair that can corefer is asked once."""

from pipeline.rules.linking.link_evidence import Link, LinkEvidence


def exhaustive_questions(evidence: LinkEvidence) -> list[Link]:
    """The links still to be asked for the first time, in reading order; none: all mentions are placed."""
    ruled_out = evidence.group.ruled_out
    size = len(ruled_out)
    return [
        (one, another)
        for one in range(size)
        for another in range(one + 1, size)
        if not ruled_out[one] >> another & 1 and (one, another) not in evidence.first
    ]
