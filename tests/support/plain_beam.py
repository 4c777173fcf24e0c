"""The beam search as plain loops over partitions, to hold the fast one against."""

from pipeline.rules.linking.prior.partitions import SIZES, Flags, Weights


def plain_beam(ruled_out: Flags, weights: Weights, width: int) -> list[tuple[tuple[int, ...], float]]:
    """Return the labels of about the `width` likeliest partitions, each with its score."""
    kept: list[tuple[tuple[int, ...], float]] = [((), 0.0)]
    for mention in range(len(ruled_out)):
        larger = []
        for labels, _ in kept:
            for block in range(max(labels, default=-1) + 2):
                if not any(ruled_out[mention, other] for other, own in enumerate(labels) if own == block):
                    longer = (*labels, block)
                    larger.append((longer, plain_score(longer, weights)))
        best = sorted(range(len(larger)), key=lambda place: -round(larger[place][1], 9))[:width]
        kept = [larger[place] for place in sorted(best)]
    return kept


def plain_score(labels: tuple[int, ...], weights: Weights) -> float:
    """Return the sum over the blocks of what their pairs, words and sizes add."""
    score = 0.0
    for block in set(labels):
        members = [mention for mention, own in enumerate(labels) if own == block]
        pairs = [(one, other) for one in members for other in members if one < other]
        score += sum(weights.pairs[pair] for pair in pairs)
        score += 2 / len(members) * sum(weights.words[pair] for pair in pairs)
        score += weights.sizes[members[0], min(len(members), SIZES) - 1]
    return score
