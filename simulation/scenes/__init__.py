"""Drawn pictures with captions, mentions, chains and boxes that are known exactly: the demo's data set.

Plain Python. It may import the values of a data set (`exchange`) and the rules of boxes and types (`annotation`).
"""
