"""/participant-groups/: lists of participants that studies admit or keep out."""

from tests.twins.prolific.account import Account, Group, found, new_id, written
from tests.twins.prolific.wire import Json, Refusal, Reply, Request, listed


def create_group(account: Account, request: Request) -> Reply:
    (name,) = request.need("name")
    if request.body.get("workspace_id") != account.workspace:
        raise Refusal({"workspace_id": ["A workspace of yours is required."]})
    group = Group(new_id(), name, request.body.get("description") or "")
    account.groups[group.id] = group
    _add(account, group, request.body.get("participant_ids") or [])
    return Reply(201, _shown(account, group))


def list_groups(account: Account, request: Request) -> Reply:
    if request.query.get("workspace_id") != account.workspace:
        raise Refusal({"workspace_id": ["A workspace of yours is required."]})
    return listed(request, [_shown(account, one) for one in account.groups.values()])


def add_members(account: Account, request: Request, key: str) -> Reply:
    group = found(account.groups, key, "participant group")
    _add(account, group, request.need("participant_ids")[0])
    return _members(group)


def remove_members(account: Account, request: Request, key: str) -> Reply:
    group = found(account.groups, key, "participant group")
    for participant in request.need("participant_ids")[0]:
        group.members.pop(participant, None)
    return _members(group)


def _add(account: Account, group: Group, participants: list[str]) -> None:
    for participant in participants:
        group.members.setdefault(participant, account.clock.now())


def _members(group: Group) -> Reply:
    rows = [{"participant_id": one, "datetime_created": written(since)} for one, since in group.members.items()]
    return Reply(200, {"results": rows})


def _shown(account: Account, group: Group) -> Json:
    about = {"id": group.id, "name": group.name, "description": group.description}
    place = {"project_id": None, "workspace_id": account.workspace, "organisation_id": None}
    return about | place | {"participant_count": len(group.members), "is_deleted": False, "feeder_studies": []}
