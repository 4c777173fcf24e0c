"""Versions of the packages that a report depends on."""

import platform
from importlib.metadata import PackageNotFoundError, version

PACKAGES = (
    "numpy",
    "scipy",
    "matplotlib",
    "scikit-learn",
    "lemminflect",
    "spacy",
    "opencv-contrib-python-headless",
    "gensim",
    "pycocoevalcap",
    "torch",
)
FORMAT = 1
"""The number of the report's form and of the decisions behind its figures. It goes up when either changes."""


def versions() -> dict[str, str]:
    """Return the versions of Python, of the form of reports, and of the packages that are installed."""
    found = {"python": platform.python_version(), "evaluation": str(FORMAT)}
    for package in PACKAGES:
        try:
            found[package] = version(package)
        except PackageNotFoundError:
            continue
    return found
