"""What the adaptive link strategy reaches for how many judgments, beside the strategies of the paper."""
