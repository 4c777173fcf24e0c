"""Amounts in minor units (pence, cents): what a payment costs, and what a workspace has left."""

from dataclasses import dataclass, field
from decimal import ROUND_HALF_UP, Decimal, InvalidOperation


@dataclass(frozen=True, slots=True)
class Charge:
    """The shares of the participant, the platform and the tax office."""

    amount: int
    fees: int
    vat: int

    @property
    def total(self) -> int:
        return self.amount + self.fees + self.vat


@dataclass(slots=True)
class Wallet:
    """A prepaid balance. The fee is a percentage of the reward, the tax one of the fee."""

    balance: int
    currency: str
    fee_percent: Decimal
    vat_percent: Decimal
    paid: list[Charge] = field(default_factory=list)

    def charge(self, amount: int) -> Charge:
        fees = _rounded(amount * self.fee_percent / 100)
        return Charge(amount, fees, _rounded(fees * self.vat_percent / 100))

    def pay(self, amount: int) -> None:
        charge = self.charge(amount)
        self.balance -= charge.total
        self.paid.append(charge)


def minor_units(text: str) -> int:
    """`4.25` as 425. ValueError: not a positive amount of at most two decimals."""
    try:
        cents = Decimal(text.strip()) * 100
    except InvalidOperation as error:
        raise ValueError(f"{text!r} is not an amount") from error
    if not cents.is_finite() or cents <= 0 or cents != cents.to_integral_value():
        raise ValueError(f"{text!r} is not a positive amount of at most two decimals")
    return int(cents)


def _rounded(amount: Decimal) -> int:
    return int(amount.quantize(Decimal(1), ROUND_HALF_UP))
