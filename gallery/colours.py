"""Which of the palette's colours a chain has: the same for its phrases and its boxes."""

COLOURS = 8
"""The classes c0 to c7 of the style sheet, told apart with every kind of colour vision."""


def colour_class(number: int) -> str:
    """`number`: the chain's on this page, from 1. From the ninth chain on colours come again, with broken lines."""
    round_, colour = divmod(number - 1, COLOURS)
    return f"c{colour} again" if round_ else f"c{colour}"
