"""A figure with its interval, as the API returns it."""

from projects.operation import Output


class Estimate(Output):
    value: float
    low: float
    """The lower end of the 90 % interval."""
    high: float
    """The upper end of the 90 % interval."""

    @property
    def numbers(self) -> tuple[float, float, float]:
        return self.value, self.low, self.high
