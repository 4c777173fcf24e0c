"""Which of the palette's colours a chain has: the same for its phrases and its boxes."""

COLOURS = 10
"""The classes c0 to c9 of the style sheet; a number beside each colour tells chains of one colour apart."""


def colour_class(number: int) -> str:
    """`number`: the chain's on this page, from 1."""
    return f"c{(number - 1) % COLOURS}"
