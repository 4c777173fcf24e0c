"""The number of threads that torch calculates with: another number may round otherwise."""

from collections.abc import Iterator
from contextlib import contextmanager

from evaluation.optional import need

torch = need("torch", "training a language model")


@contextmanager
def one_number_of_threads(count: int) -> Iterator[None]:
    """Calculate with this number of threads inside the block."""
    before = torch.get_num_threads()
    torch.set_num_threads(count)
    try:
        yield
    finally:
        torch.set_num_threads(before)
