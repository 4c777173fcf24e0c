"""The service that is attacked: a project of drawn scenes, a worker at work, requesters, and a row of most tables."""

from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from allauth.account.internal.flows.login import record_authentication
from django.apps import apps
from django.contrib.auth.models import User
from django.test import Client, RequestFactory
from django.utils import timezone

from accounts.models import RightKind
from accounts.rights import give_right
from annotation.models import Image, Project
from exchange.import_dataset import import_dataset
from exchange.registry import export_formats
from labelling.messages import write_to_requester
from labelling.models import SignIn
from pipeline.asking.lease_assignment import lease_assignment
from pipeline.gold_questions.fill_from_gold import fill_from_gold
from pipeline.gold_questions.known_questions import Purpose
from pipeline.models import Assignment
from pipeline.protocol.tasks.task import PROTOCOL_TASKS, Task
from platforms.models import Offer, Payment, Recruitment
from platforms.sessions import open_session
from projects.models import GoldImage
from simulation.scenes.scene import write_source
from simulation.simulate import simulate
from workers.invitations import grant_access, invite, worker_for
from workers.messages import send_message
from workers.tokens import make_api_key, make_page_token

REQUESTER = "eve"
NAME, TASK, SCENES, JUDGMENTS = "parks", Task.BOX_REQUIREMENT, 3, 150


@dataclass(frozen=True)
class World:
    """Rows that requests may name, and callers that send them."""

    values: dict[str, list[str]]
    """Values of the parameters of addresses, by name."""
    callers: dict[str, dict[str, str]]
    """Cookies of each kind of visitor."""
    credentials: list[str]
    """Values of the header Authorization."""
    held: Assignment

    def keys_of(self, address_name: str) -> list[str]:
        """Return keys of the rows of the admin page with this name."""
        label, _, rest = address_name.partition("_")
        try:
            model = apps.get_model(label, rest.split("_")[0])
        except LookupError:
            return ["1"]
        return [str(pk) for pk in model._default_manager.values_list("pk", flat=True).order_by("pk")[:5]] or ["1"]


def make_world() -> World:
    project = _project()
    eve = User.objects.create_superuser(REQUESTER, password="engine and loom")
    bob = User.objects.create_user("bob")
    for kind in RightKind:
        give_right(bob, kind, by=None)
    GoldImage.objects.create(image=project.images.earliest("pk"), place=0, annotators=1)
    user = User.objects.create_user("ada", password="engine and loom")
    ada = worker_for(user)
    grant_access(ada, project.pk, [task.value for task in PROTOCOL_TASKS], trusted=True)
    held = lease_assignment(project_id=project.pk, worker_id=ada.pk, task=TASK)
    assert held is not None
    send_message(text="Thank you.", worker_ids=[ada.pk], project_id=project.pk)
    asked = write_to_requester(worker_id=ada.pk, project_id=project.pk, text="Please look again.")
    invitation = invite(project_id=project.pk, note="colleagues")
    offer = _recruit(project)
    callers = {"visitor": {}, "requester": _cookies(eve), "staff": _cookies(bob), "worker": _cookies(user)}
    sign_in = SignIn.objects.create(
        user=user, session_key=callers["worker"]["sessionid"], password_end=user.password[-12:]
    )
    values = {
        "name": [NAME],
        "project": [NAME],
        "project_id": [str(project.pk)],
        "image_id": [str(pk) for pk in Image.objects.values_list("pk", flat=True)],
        "image": [str(pk) for pk in Image.objects.values_list("pk", flat=True)],
        "task": [task.value for task in PROTOCOL_TASKS],
        "export_format": list(export_formats()),
        "state": ["1-1"],
        "size": ["thumbnail", "screen", "full"],
        "until": [str(int(timezone.now().timestamp()) + 3600)],
        "signature": ["x"],
        "code": [invitation.code],
        "message_id": [str(pk) for pk in ada.messages.values_list("pk", flat=True)],
        "conversation": [str(asked.pk)],
        "conversation_id": [str(asked.pk)],
        "token": [str(held.token)],
        "key": [offer.key],
        "app_label": ["workers", "pipeline"],
        "id": ["1"],
        "url": ["nothing/"],
        "content_type_id": ["1"],
    }
    credentials = [
        f"Bearer {make_page_token(ada.pk, sign_in_id=sign_in.pk)}",
        f"Key {make_api_key(ada)}",
        *("", "Bearer x", "Key \xff", "Bearer " + "9" * 5_000),
    ]
    return World(values, callers, credentials, held)


def _project() -> Project:
    with TemporaryDirectory() as folder:
        source = Path(folder) / "scenes"
        write_source(source, 1, SCENES)
        import_dataset(project_name=NAME, path=source, gold=True)
    project = Project.objects.get(name=NAME)
    fill_from_gold(project=project, most=dict.fromkeys(PROTOCOL_TASKS, 2), purpose=Purpose.VERIFICATION, seed=1)
    simulate(project=project, crowd="perfect", seed=1, most=JUDGMENTS)
    return project


def _recruit(project: Project) -> Offer:
    now = timezone.now()
    common: dict[str, Any] = {"platform": "mturk", "project": project}
    Recruitment.objects.create(**common, created_at=now)
    offer = Offer.objects.create(
        **common,
        task=TASK.value,
        kind=Offer.Kind.ENTRY,
        state=Offer.State.OPEN,
        key="offer-1",
        external_id="3HIT",
        places=3,
        reward_cents=100,
        seconds=3600,
        created_at=now,
        expires_at=now + timedelta(days=300),
    )
    session = open_session(offer=offer, external_worker="A1WORKER", external_id="3ASSIGNMENT")
    Payment.objects.create(session=session, kind=Payment.Kind.APPROVE, created_at=now)
    return offer


def _cookies(user: User) -> dict[str, str]:
    client = Client()
    client.force_login(user)
    # As if the password had just been given: acts on money, rights and admin pages ask for it again.
    request = RequestFactory().get("/")
    request.session = client.session
    record_authentication(request, user, "password", reauthenticated=True)
    request.session.save()
    return {name: morsel.value for name, morsel in client.cookies.items()}
