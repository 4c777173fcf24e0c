"""The budget: calls, tokens and money, counted over all runs on one folder."""

import threading
from dataclasses import dataclass

from clients.annotator.errors import BudgetSpent

MILLION = 1_000_000


@dataclass(frozen=True, slots=True)
class Limits:
    """The most that may be spent; None: no limit. Prices are for a million tokens, in the currency of `money`."""

    calls: int | None = None
    tokens: int | None = None
    money: float | None = None
    price_in: float = 0.0
    price_out: float = 0.0


class SpendingLimit:
    """Counts what was spent and refuses calls that no longer fit.

    Calls in flight count as the dearest so far, or as the most that any of them may cost.
    """

    def __init__(self, limits: Limits) -> None:
        self._limits, self._lock = limits, threading.Lock()
        self.calls = self.tokens_in = self.tokens_out = 0
        self._in_flight, self._most_tokens, self._most_money = 0, 0, 0.0

    @property
    def money(self) -> float:
        return self._money(self.tokens_in, self.tokens_out)

    def count(self, tokens_in: int, tokens_out: int) -> None:
        """Count a call that was made."""
        self.calls += 1
        self._add(tokens_in, tokens_out)

    def begin(self, most_in: int = 0, most_out: int = 0) -> None:
        """Reserve a call that takes at most so many tokens. Raises BudgetSpent with the option to raise."""
        with self._lock:
            self._note_dearest(most_in, most_out)
            ahead = self._in_flight + 1
            tokens = self.tokens_in + self.tokens_out + ahead * self._most_tokens
            planned = (
                ("calls", self.calls + 1, self._limits.calls),
                ("tokens", max(tokens, self.tokens_in + self.tokens_out + 1), self._limits.tokens),
                ("money", self.money + ahead * self._most_money, self._limits.money),
            )
            for name, wanted, most in planned:
                if most is not None and wanted > most:
                    raise BudgetSpent(f"The budget of {most:,} {name} is spent: raise --most-{name} and run it again.")
            self.calls += 1
            self._in_flight += 1

    def end(self, tokens_in: int = 0, tokens_out: int = 0) -> None:
        """Count the tokens of a reserved call; of a failed one, none."""
        with self._lock:
            self._in_flight -= 1
            self._add(tokens_in, tokens_out)

    def __str__(self) -> str:
        money = f", {self.money:,.2f} in money" if self._limits.price_in or self._limits.price_out else ""
        return f"{self.calls:,} calls, {self.tokens_in:,} tokens in, {self.tokens_out:,} out{money}"

    def _add(self, tokens_in: int, tokens_out: int) -> None:
        self.tokens_in += tokens_in
        self.tokens_out += tokens_out
        self._note_dearest(tokens_in, tokens_out)

    def _note_dearest(self, tokens_in: int, tokens_out: int) -> None:
        self._most_tokens = max(self._most_tokens, tokens_in + tokens_out)
        self._most_money = max(self._most_money, self._money(tokens_in, tokens_out))

    def _money(self, tokens_in: int, tokens_out: int) -> float:
        return (tokens_in * self._limits.price_in + tokens_out * self._limits.price_out) / MILLION
