"""The device on which a language model is trained: the processor, or a graphics card that torch finds."""

from evaluation.errors import InputError
from evaluation.optional import need

torch = need("torch", "training a language model")
CPU, AUTO = "cpu", "auto"
CARDS = ("cuda", "mps")


def device_of(name: str) -> str:
    """Return the device of this name; of `auto`, the first card that torch finds, or the processor.

    Raises InputError for a card that torch does not find.
    """
    found = [card for card in CARDS if _is_there(card)]
    if name == AUTO:
        return next(iter(found), CPU)
    if name != CPU and name not in found:
        raise InputError(f"--device {name}: torch finds no such device here. Found: {', '.join([*found, CPU])}.")
    return name


def _is_there(card: str) -> bool:
    return bool(torch.cuda.is_available() if card == "cuda" else torch.backends.mps.is_available())
