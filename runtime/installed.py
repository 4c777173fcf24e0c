"""Whether Chainbox runs from a checkout or from a wheel, and what people type there."""

from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
"""The folder of the apps: of the checkout, or of the package `chainbox` in site-packages."""
IS_CHECKOUT = (ROOT / "manage.py").is_file()
COMMAND = "manage.py" if IS_CHECKOUT else "chainbox"
"""The command line, as messages name it."""


def not_installed(extra: str) -> str:
    """Return the words of a sentence about a package of an extra of pyproject.toml that is not installed."""
    command = f"scripts/setup.sh {extra}" if IS_CHECKOUT else f"pip install 'chainbox[{extra}]'"
    return f"not installed (run {command})"
