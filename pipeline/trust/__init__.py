"""Review scores, judge batches, void answers and ask again."""
