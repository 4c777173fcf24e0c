"""Verification questions: how they are made, their right answers, and the mix of a stock."""
