"""Words of captions as they are scored: in lower case, split as the Penn Treebank does, without punctuation.

The splitter of COCO's evaluation is a Java program. Without Java, a plain one stands in, which differs in rare cases.
"""

import re
import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path

from evaluation.errors import InputError
from evaluation.optional import need

_SUFFIX = re.compile(r"(?<=[a-z])(n't|'s|'re|'ve|'ll|'d|'m)(?![a-z])")
_WORD = re.compile(r"n't|'[a-z]+|[^\W_]+(?:[-./&'][^\W_]+)*|[$%#&@*+=/]", re.UNICODE)


def java() -> str | None:
    """Return the path of the Java program, or None."""
    return shutil.which("java")


def treebank_words(captions: Sequence[str]) -> list[str]:
    """Return each caption's words with spaces between, by the splitter of COCO's evaluation.

    Raises InputError if Java fails, MissingExtra without pycocoevalcap.
    """
    package = need("pycocoevalcap.tokenizer.ptbtokenizer", "scoring captions")
    program = java()
    if program is None:
        raise InputError("Splitting captions into words needs the program java, which is not installed.")
    folder = Path(package.__file__).parent
    command = [program, "-Dfile.encoding=UTF-8", "-Dstdout.encoding=UTF-8", "-cp", package.STANFORD_CORENLP_3_4_1_JAR]
    command += ["edu.stanford.nlp.process.PTBTokenizer", "-preserveLines", "-lowerCase"]
    text = "".join(f"{' '.join(caption.split())}\n" for caption in captions)
    done = subprocess.run(command, input=text.encode(), cwd=folder, capture_output=True, check=False)
    lines = done.stdout.decode("utf-8").split("\n")[: len(captions)]
    if done.returncode or len(lines) < len(captions):
        told = done.stderr.decode(errors="replace").strip().splitlines()[:1]
        raise InputError(f"Java could not split the captions into words: {' '.join(told) or 'it wrote too few lines'}.")
    marks = frozenset(package.PUNCTUATIONS)
    return [" ".join(word for word in line.split() if word not in marks) for line in lines]


def plain_words(captions: Sequence[str]) -> list[str]:
    """Return each caption's words with spaces between, without Java."""
    return [" ".join(_WORD.findall(_SUFFIX.sub(r" \1", caption.lower()))) for caption in captions]
