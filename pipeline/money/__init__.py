"""The money of workers: what they earned, were promised, were paid or were refused, under the project's spend cap.

Imports models, rules and settings of `pipeline`, but none of its other rooms.
"""
