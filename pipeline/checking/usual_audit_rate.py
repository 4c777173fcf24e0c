"""Lot of a check [beyond paper 3]: the share of chains whose boxes people judge, so that the share of wrong ones shows.

Where no program judges boxes, little makes a box doubtful, and the audit alone tells how many are wrong. What counts
then is how many chains are in it, and not how many the data set has.
"""

AUDITED_CHAINS = 600
"""Chains in the audit: if 12 % of all labels are wrong, their share is known to about 2 points."""
MIN_AUDIT_RATE, MAX_AUDIT_RATE = 0.03, 0.2


def usual_audit_rate(chains: int) -> float:
    """Return the share, from 0 to 1, for a data set with this many chains."""
    return round(min(max(AUDITED_CHAINS / max(chains, 1), MIN_AUDIT_RATE), MAX_AUDIT_RATE), 2)
