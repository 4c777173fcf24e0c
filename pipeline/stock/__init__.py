"""The stock of verification questions: where they come from, how they do, and how long they last.

Imports models, rules and settings of `pipeline`, but none of its other rooms.
"""
