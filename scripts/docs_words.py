"""Counts the words of the documentation outside of generated sections: `scripts/docs_words.py [COMMIT] [--list]`.

Generated sections stand between two comments, the last of which says "end"; generated pages say in their first lines
by what they are written. Code blocks and tables count. Prompts for models are no documentation.
"""

import re
import subprocess
import sys

SECTION = re.compile(r"<!-- .*?-->.*?<!-- [^>]*\bend\b[^>]*-->", re.DOTALL)
GENERATED = re.compile(r"^Written by|\bWritten by `python -m ", re.MULTILINE)
FIRST_LINES = 10
WORD = re.compile(r"\S*\w\S*")


def git(*arguments: str) -> str:
    return subprocess.run(["git", *arguments], check=True, capture_output=True, text=True).stdout


def count_words(text: str) -> int:
    """Return the number of words, without generated sections; 0 for a generated page. A bar of a table is no word."""
    if GENERATED.search("\n".join(text.splitlines()[:FIRST_LINES])):
        return 0
    return len(WORD.findall(SECTION.sub("", text)))


def print_counts(arguments: list[str]) -> None:
    commit = next((argument for argument in arguments if not argument.startswith("-")), "HEAD")
    names = git("ls-tree", "-r", "--name-only", commit).splitlines()
    pages = [name for name in names if name.endswith(".md") and "/prompts/" not in name]
    counts = {name: count_words(git("show", f"{commit}:{name}")) for name in pages}
    if "--list" in arguments:
        for name, words in sorted(counts.items(), key=lambda item: -item[1]):
            print(f"{words:6} {name}")
    print(f"{sum(counts.values())} words in {len(counts)} pages")


if __name__ == "__main__":
    print_counts(sys.argv[1:])
