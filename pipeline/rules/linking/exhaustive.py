"""Exhaustive strategy [paper 3.1.1]: ask every pair that can corefer once."""

from pipeline.rules.linking.link_evidence import Link, LinkEvidence


def exhaustive_questions(evidence: LinkEvidence) -> list[Link]:
    """Return the links that were never asked, in reading order. None: all mentions are placed."""
    ruled_out = evidence.group.ruled_out
    size = len(ruled_out)
    return [
        (one, another)
        for one in range(size)
        for another in range(one + 1, size)
        if not ruled_out[one] >> another & 1 and (one, another) not in evidence.first
    ]
