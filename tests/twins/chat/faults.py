"""Faults of a server and of a model, as they come with the real ones."""

from enum import StrEnum


class Fault(StrEnum):
    """One way in which a call goes wrong. The first six are worth another try; the others are replies that are paid."""

    BUSY = "429 with Retry-After"
    BROKEN = "500"
    CUT = "a connection that ends within the body"
    HALF = "a body that is half a JSON"
    NO_COMPLETION = "JSON that is no completion"
    OVERLOADED = "503"
    REFUSAL = "the model refuses"
    PROSE = "the model answers in prose"
    OTHER_SHAPE = "the model answers in another shape"
    HALF_ANSWER = "the model stops within its JSON"
    CUT_OFF = "the limit of tokens cuts the reply off"


PASSING = (Fault.BUSY, Fault.BROKEN, Fault.CUT, Fault.HALF, Fault.NO_COMPLETION, Fault.OVERLOADED)
PAID = (Fault.REFUSAL, Fault.PROSE, Fault.OTHER_SHAPE, Fault.HALF_ANSWER, Fault.CUT_OFF)
