"""Counts in English words: "1 picture", "1,200 pictures"."""


def counted(number: int, word: str) -> str:
    return f"{number:,} {word}{'' if number == 1 else 's'}"
