"""A worker's acts on the service's site: find, preview, accept, return, submit."""

from datetime import timedelta

from tests.twins.mturk.account import Account
from tests.twins.mturk.lifecycle import leave, notice
from tests.twins.mturk.qualifications import meets
from tests.twins.mturk.questions import answer_xml
from tests.twins.mturk.records import HIT, UNTAKEN, Assignment, Worker

GUARDED = {
    "discover": ("DiscoverPreviewAndAccept",),
    "preview": ("DiscoverPreviewAndAccept", "PreviewAndAccept"),
    "accept": ("DiscoverPreviewAndAccept", "PreviewAndAccept", "Accept"),
}
RESERVED = ("assignmentId", "hitId", "turkSubmitTo", "workerId")


class Refused(Exception):
    """The site does not let the worker do this; the message is what the worker reads."""


def may(account: Account, worker: Worker, hit: HIT, action: str) -> bool:
    """Whether the qualifications that guard this action are met."""
    guards = [needed for needed in hit.type.requirements if guard(needed) in GUARDED[action]]
    return all(meets(account, worker, needed) for needed in guards)


def guard(requirement: dict[str, object]) -> object:
    old = "PreviewAndAccept" if requirement.get("RequiredToPreview") else "Accept"
    return requirement.get("ActionsGuarded", old)


def discover(account: Account, worker: Worker) -> list[HIT]:
    """The HITs that the worker finds in a search."""
    offered = [hit for hit in account.hits.values() if hit.status(account.now) == "Assignable"]
    return [hit for hit in offered if may(account, worker, hit, "discover")]


def preview(account: Account, worker: Worker, hit: HIT) -> HIT:
    """The HIT, if the worker may look at it. Raises Refused."""
    if hit.status(account.now) != "Assignable":
        raise Refused("There are no more of this HIT.")
    if not may(account, worker, hit, "preview"):
        raise Refused("Your qualifications do not meet the requirements to preview this HIT.")
    return hit


def accept(account: Account, worker: Worker, hit: HIT) -> Assignment:
    """Takes one assignment of the HIT; the one that the worker holds already if there is one. Raises Refused."""
    own = [one for one in hit.assignments if one.worker is worker and one.status not in UNTAKEN]
    if own and own[0].status == "Accepted":
        return own[0]
    if own:
        raise Refused("You have already completed this HIT.")
    preview(account, worker, hit)
    if not may(account, worker, hit, "accept"):
        raise Refused("Your qualifications do not meet the requirements to accept this HIT.")
    deadline = account.now + timedelta(seconds=hit.type.duration)
    taken = Assignment(assignment_id(account, hit), hit, worker, account.now, deadline)
    hit.assignments.append(taken)
    account.assignments[taken.id] = taken
    account.tell("AssignmentAccepted", hit, account.now, taken)
    return taken


def assignment_id(account: Account, hit: HIT) -> str:
    """A new id, or, if the twin is told to, that of an assignment of this HIT that somebody gave back."""
    given_back = (one for one in hit.assignments if one.status in UNTAKEN and account.assignments[one.id] is one)
    reused = next(given_back, None) if account.reuse_assignment_ids else None
    return reused.id if reused else account.new_id()


def held(account: Account, id: str) -> Assignment:
    """The assignment while somebody works on it. Raises Refused."""
    found = account.assignments.get(id)
    if not found or found.status != "Accepted":
        raise Refused("There was a problem: this assignment is not in your queue.")
    return found


def give_back(account: Account, id: str) -> None:
    """Returns an assignment; somebody else may accept the HIT. Raises Refused."""
    leave(account, held(account, id), "Returned", account.now)


def submit(account: Account, id: str, fields: list[tuple[str, str]]) -> Assignment:
    """Stores the fields of a posted form as the answer. Raises Refused."""
    assignment = held(account, id)
    given = [(name, value) for name, value in fields if name not in RESERVED]
    if not given:
        raise Refused("There was a problem: the form has no field besides assignmentId.")
    assignment.answer = answer_xml(given)
    assignment.status, assignment.submitted = "Submitted", account.now
    assignment.auto_approval = account.now + timedelta(seconds=assignment.hit.type.auto_approval)
    account.tell("AssignmentSubmitted", assignment.hit, account.now, assignment)
    notice(account, assignment.hit, account.now)
    return assignment
