"""A local twin of Mechanical Turk: `with MTurkTwin() as twin: client = twin.client()`.

Names and types come from botocore's model. The twin guesses the rest, and another service may differ:

- `HitAlreadyExists` holds the HIT's id; otherwise the annotation finds it.
- A repeated bonus has the code `AWS.MechanicalTurk.DuplicateRequest`; the client reads back instead.
- The balance is held from the offer on and paid at approval; the fee is also 20 % of bonuses.
- The frame's sandbox is `allow-forms allow-same-origin allow-scripts`; the preview sends `assignmentId` and `hitId`
  only; `externalSubmit` accepts our origin alone as `Referer`.
- Within a day `ListBonusPayments` returns our mark in the reason, `ListHITs` a new HIT with its annotation.
"""

from tests.twins.mturk.events import Queue
from tests.twins.mturk.twin import MTurkTwin

__all__ = ["MTurkTwin", "Queue"]
