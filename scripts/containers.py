#!/usr/bin/env python3
"""Tries docker-compose.yml: builds, starts, answers, kills, restarts, backs up, restores, and prints a table.

    .venv/bin/python scripts/containers.py [--keep] [--pictures N] [--programs N]

30 programs and a person in Chromium answer while each container is killed once, and then all are stopped. Every answer
that the service acknowledged must be stored. Then a backup is restored into a second stack, whose record must be equal.
Runs as root on the engine's machine, since it kills containers' processes as a crash would. Takes about 20 minutes.

Variables: CONTAINER_ENGINE (docker, or podman with its options), CONTAINER_COMPOSE (docker compose, docker-compose),
CONTAINER_BUILD (a whole command for building; `docker build`), CHROMIUM (the browser's program).
"""

import argparse
import io
import json
import os
import secrets
import shlex
import signal
import subprocess
import sys
import tarfile
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx
import yaml

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))
os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")

from simulation.scenes.scene import write_source  # noqa: E402
from studies.command import markdown  # noqa: E402
from studies.faults.crew import Crew, Journal  # noqa: E402
from studies.faults.visitors import Probe, answer_in_browser  # noqa: E402

ENGINE = shlex.split(os.environ.get("CONTAINER_ENGINE", "docker"))
COMPOSE = shlex.split(os.environ.get("CONTAINER_COMPOSE", "docker compose"))
BUILD = shlex.split(os.environ.get("CONTAINER_BUILD", "docker build"))
CHROMIUM = os.environ.get("CHROMIUM", "/usr/bin/chromium")
SERVICES = yaml.safe_load((ROOT / "docker-compose.yml").read_text())["services"]
SCALE = {"web": 2, "worker": 2, "beat": 1, "postgres": 1, "redis": 1, "proxy": 1}
"""The containers of each service."""
PROJECT = "tried"
CHECKOUT = "/scratch/checkout"
"""The place in a container for the source tree, whose studies prepare the project and read its books."""
SOURCES = [
    *(path.parent.name for path in ROOT.glob("*/__init__.py") if path.parent.name != "tests"),
    *("manage.py", "docs", "tests/__init__.py", "tests/support"),
]
PATIENCE = 600.0
"""Seconds for which a step waits for what must come."""
WORK_SECONDS = 6.0
"""Seconds for which people answer before a container is killed, and after it is healthy again."""
REST_SECONDS = 8.0
"""Seconds that a program takes for an assignment: the questions must last for all steps."""
LEASE_MINUTES = 1.0
HEAD = ("step", "answers acknowledged", "longest time without a page", "healthy after")


class FailedError(Exception):
    """A step that failed, in words."""


def run_program(command: Sequence[str], sent: bytes | None = None, variables: dict[str, str] | None = None) -> str:
    """Run a program and return what it prints. Raises FailedError with its last lines."""
    done = subprocess.run(command, input=sent, env=variables, cwd=ROOT, capture_output=True, check=False)
    if done.returncode:
        raise FailedError(f"{shlex.join(command)[:200]}: {(done.stdout + done.stderr).decode()[-1500:]}")
    return done.stdout.decode()


def wait_for(what: str, condition: Callable[[], object], seconds: float = PATIENCE) -> float:
    """Return the seconds until the condition was true. Raises FailedError after PATIENCE."""
    begun = time.monotonic()
    while not condition():
        if time.monotonic() - begun > seconds:
            raise FailedError(f"{what}: not within {seconds:g} s")
        time.sleep(0.5)
    return time.monotonic() - begun


@dataclass
class Stack:
    """The containers of one Compose project. `port`: of its proxy."""

    name: str
    port: int

    def compose(self, *arguments: str) -> str:
        """Run a command of Compose."""
        ports = {"PORT": self.port, "HTTP_PORT": self.port + 1, "HTTPS_PORT": self.port + 2}
        variables = {**os.environ, **{name: str(port) for name, port in ports.items()}}
        return run_program([*COMPOSE, "--project-name", self.name, *arguments], variables=variables)

    def up(self, *arguments: str) -> None:
        """Start services, and nothing that they need; without arguments all but those of profiles."""
        scale = [part for name, count in SCALE.items() for part in ("--scale", f"{name}={count}")]
        self.compose("up", "--detach", "--no-build", *(("--no-deps", *arguments) if arguments else scale))

    def containers(self, service: str) -> list[str]:
        """Return the ids of a service's containers that run."""
        label = "label=com.docker.compose"
        wanted = ("--filter", f"{label}.project={self.name}", "--filter", f"{label}.service={service}")
        return run_program([*ENGINE, "ps", "--quiet", *wanted]).split()

    def every_container(self) -> dict[str, str]:
        """Return the ids of all containers by their services' names with a number."""
        return {
            f"{service} {number}": container
            for service in SCALE
            for number, container in enumerate(self.containers(service), 1)
        }

    def inside(self, *command: str, sent: bytes | None = None, place: str = "/app") -> str:
        """Run a command in the first web container."""
        container = self.containers("web")[0]
        return run_program([*ENGINE, "exec", "--interactive", "--workdir", place, container, *command], sent)

    def copy_in(self, folder: Path, names: Sequence[str]) -> None:
        """Copy files and folders into the first web container, at CHECKOUT."""
        out = io.BytesIO()
        with tarfile.open(fileobj=out, mode="w") as tar:
            for name in names:
                tar.add(folder / name, arcname=name)
        self.inside("mkdir", "-p", CHECKOUT)
        self.inside("tar", "-x", "-C", CHECKOUT, sent=out.getvalue())

    def books(self, what: str, *options: str) -> Any:
        """Return what the fault campaign's command prints: in a web container, by the source tree that is copied."""
        command = ("python", "-m", "studies", "fault_books", what, PROJECT, *options)
        return json.loads(self.inside(*command, place=CHECKOUT).splitlines()[-1])

    def healthy(self) -> bool:
        """Tell whether every container is there and its health check succeeds."""
        found = self.every_container()
        return len(found) == sum(SCALE.values()) and all(is_healthy(name.split()[0], found[name]) for name in found)

    def wait_healthy(self) -> float:
        return wait_for(f"{self.name} is healthy", self.healthy)

    def apart(self, service: str, *command: str, sent: bytes | None = None) -> str:
        """Run a command in a container of its own, with the variables, volumes and network of a service."""
        made = yaml.safe_load(self.compose("--profile", "backups", "config"))["services"][service]
        env = [part for name, text in made["environment"].items() for part in ("--env", f"{name}={text}")]
        volumes = [part for place in SERVICES[service]["volumes"] for part in ("--volume", f"{self.name}_{place}")]
        options = ["--rm", "--interactive", "--network", f"{self.name}_default", "--user", "1000:1000", "--read-only"]
        options += ["--tmpfs", "/tmp", "--entrypoint", command[0]]
        return run_program([*ENGINE, "run", *options, *env, *volumes, "chainbox", *command[1:]], sent)


def is_healthy(service: str, container: str) -> bool:
    """Run the service's health check now: engines without timers never do."""
    kind, *test = SERVICES[service]["healthcheck"]["test"]
    command = ["sh", "-c", *test] if kind == "CMD-SHELL" else test
    with suppress(FailedError):
        run_program([*ENGINE, "exec", container, *(word.replace("$$", "$") for word in command)])
        return True
    return False


SESSION = """
from django.contrib.auth.models import User
from django.test import Client
from workers.models import Worker
worker = Worker.objects.get(name="{name}")
worker.user = User.objects.create_user(worker.name)
worker.save()
client = Client()
client.force_login(worker.user)
print(client.cookies["sessionid"].value)
"""
"""Prints the session of a worker who signs in."""


@dataclass
class ContainerTrial:
    """Steps of the trial, and what was seen of each."""

    stack: Stack
    folder: Path
    pictures: int
    programs: int
    rows: list[tuple[object, ...]] = field(default_factory=list)
    journal: Journal = field(default_factory=Journal)

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.stack.port}"

    def prepare(self) -> tuple[list[str], str]:
        """Import the pictures and make the workers. Returns the programs' keys and the session of the person."""
        write_source(self.folder / "source", seed=1, count=self.pictures)
        self.stack.copy_in(ROOT, SOURCES)
        self.stack.copy_in(self.folder, ["source"])
        options = ("--workers", str(self.programs + 1), "--lease-minutes", str(LEASE_MINUTES))
        keys = self.stack.books("prepare", "--source", f"{CHECKOUT}/source", *options)
        session = self.stack.inside("chainbox", "shell", "-c", SESSION.format(name=f"worker-{self.programs}"))
        return keys[:-1], session.split()[-1]

    @contextmanager
    def at_work(self, keys: Sequence[str], session: str) -> Iterator[tuple[Crew, Probe]]:
        """Let programs and the person answer until the block ends. Then they finish what they began."""
        crew, probe = Crew(self.address, PROJECT, keys, 1, self.journal), Probe(f"{self.address}/join/nobody/")
        arguments = (CHROMIUM, self.address, PROJECT, session, self.journal, probe.over)
        watching = threading.Thread(target=probe.watch)
        browser = threading.Thread(target=answer_in_browser, args=arguments)
        crew.rest = REST_SECONDS
        crew.start()
        watching.start()
        browser.start()
        try:
            yield crew, probe
            crew.rest = 0.0
            crew.go_home.set()
            self.rows.append(("programs went home by themselves", "", "", crew.wait(PATIENCE)))
        finally:
            crew.go_home.set()
            crew.over.set()
            probe.over.set()
            browser.join()
            watching.join()

    def interrupt(self, what: str, act: Callable[[], float], crew: Crew, probe: Probe) -> None:
        """Let people work, do something to containers, wait until all are healthy, and note what people saw."""
        crew.may_work.set()
        time.sleep(WORK_SECONDS)
        probe.begin_anew()
        before = self.journal.acknowledged
        seconds = act()
        time.sleep(WORK_SECONDS)
        crew.may_work.clear()
        seen = f"{probe.longest:.1f} s {' '.join(sorted(probe.statuses))}"
        self.rows.append((what, self.journal.acknowledged - before, seen, f"{seconds:.1f} s"))
        print(*self.rows[-1], sep=" | ", flush=True)

    def kill(self, name: str) -> float:
        """End a container's process as a crash does, and wait until the engine has started the container again."""
        service, container = name.split()[0], self.stack.every_container()[name]
        process = int(run_program([*ENGINE, "inspect", "--format", "{{.State.Pid}}", container]))
        os.kill(process, signal.SIGKILL)
        return wait_for(f"{name} is healthy", lambda: is_healthy(service, container))

    def stop_and_start(self) -> float:
        """Stop all containers and start them again, as a machine does that starts anew."""
        self.stack.compose("stop")
        begun = time.monotonic()
        self.stack.up()
        self.stack.wait_healthy()
        return time.monotonic() - begun

    def read_books(self, stack: Stack) -> dict[str, list[str]]:
        """Return what is wrong in a stack's tables, by kind."""
        stack.copy_in(ROOT, SOURCES)
        stack.copy_in(self.folder, ["journal.json"])
        options = ("--journal", f"{CHECKOUT}/journal.json", "--images", str(self.pictures))
        found: dict[str, list[str]] = stack.books("check", *options)
        return found

    def compare(self, stack: Stack) -> str:
        """Return the digest of a project's whole data set, with the record of every answer."""
        stack.inside("rm", "-rf", "/scratch/out", "/scratch/out.card")
        stack.inside("chainbox", "export_dataset", "--format", "jsonl", "--include-unmerged", PROJECT, "/scratch/out")
        return stack.inside("sha256sum", "/scratch/out")

    def back_up(self) -> bytes:
        """Start the daily backup, wait for its first file, and return it."""
        self.stack.up("backups")
        [container] = self.stack.containers("backups")
        wait_for("backups is healthy", lambda: is_healthy("backups", container))
        command = [*ENGINE, "exec", container, "sh", "-c", "cat /backups/chainbox-*.tar"]
        return subprocess.run(command, capture_output=True, check=True).stdout

    def restore(self, backup: bytes) -> Stack:
        """Restore a backup into a second stack, and start it."""
        second = Stack(f"{self.stack.name}2", self.stack.port + 10)
        second.up("postgres", "redis")
        wait_for("postgres is healthy", lambda: is_healthy("postgres", second.containers("postgres")[0]))
        second.apart("backups", "sh", "-c", "cat > /backups/one.tar", sent=backup)
        second.apart("backups", "chainbox", "restore", "/backups/one.tar")
        second.up()
        second.wait_healthy()
        return second

    def end_tls(self) -> str:
        """Start Caddy, and return what it answers to http and https."""
        self.stack.up("tls")
        [container] = self.stack.containers("tls")
        wait_for("tls is healthy", lambda: is_healthy("tls", container))
        secure = f"https://localhost:{self.stack.port + 2}/healthz"
        with httpx.Client(verify=False, trust_env=False) as client:
            wait_for("https answers", lambda: client.get(secure).status_code == 200)
            plain = client.get(f"http://localhost:{self.stack.port + 1}/healthz")
        return f"https 200, http {plain.status_code} to {plain.headers.get('location')}"


def try_all(trial: ContainerTrial) -> bool:
    """Do every step. Returns whether nothing was lost and the records are equal."""
    stack = trial.stack
    begun = time.monotonic()
    stack.up()
    stack.wait_healthy()
    trial.rows.append(("start with empty volumes", "", "", f"{time.monotonic() - begun:.1f} s"))
    keys, session = trial.prepare()
    with trial.at_work(keys, session) as (crew, probe):
        for name in stack.every_container():
            trial.interrupt(f"{name} killed", lambda name=name: trial.kill(name), crew, probe)  # type: ignore[misc]
        trial.interrupt("all stopped and started", trial.stop_and_start, crew, probe)
        crew.may_work.set()
    journal = trial.folder / "journal.json"
    journal.write_text(json.dumps(trial.journal.submissions))
    wrong = trial.read_books(stack)
    tls = trial.end_tls()
    digest = trial.compare(stack)
    second = trial.restore(trial.back_up())
    restored = trial.read_books(second)
    equal = trial.compare(second) == digest
    by_person = [entry for entry in trial.journal.submissions if "by" in entry]
    faults = {kind: problems for kind, problems in {**wrong, "refused": trial.journal.refusals}.items() if problems}
    trial.rows += [
        ("answers acknowledged", trial.journal.acknowledged, "", ""),
        ("of them, of the person in Chromium", sum(len(entry["answers"]) for entry in by_person), "", ""),
        ("answers lost", len(wrong["lost"]), "", ""),
        ("other faults of the books", json.dumps(faults), "", ""),
        ("restored: lost, record", len(restored["lost"]), "", "equal" if equal else "differs"),
        ("TLS by Caddy", tls, "", ""),
    ]
    return equal and not faults and not any(restored.values())


def try_containers() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--name", default="chainbox-trial", help="of the Compose project, whose volumes are removed")
    parser.add_argument("--port", type=int, default=8600, help="of the proxy; some ports above are used, too")
    parser.add_argument("--pictures", type=int, default=60)
    parser.add_argument("--programs", type=int, default=30)
    parser.add_argument("--keep", action="store_true", help="leave containers and volumes")
    options = parser.parse_args()
    with ExitStack() as stack, tempfile.TemporaryDirectory(prefix="chainbox-containers-") as name:
        env_file = ROOT / ".env"
        if env_file.exists():
            raise SystemExit(f"{env_file} exists: this script writes one. Run it in another checkout.")
        stack.callback(env_file.unlink, missing_ok=True)
        values = {"SECRET_KEY": secrets.token_urlsafe(64), "POSTGRES_PASSWORD": secrets.token_hex(24)}
        values |= {"ALLOWED_HOSTS": "127.0.0.1,localhost", "HTTPS": "off", "TICK_SECONDS": "5"}
        env_file.write_text("".join(f"{key}={text}\n" for key, text in values.items()))
        run_program([*BUILD, "--tag", "chainbox", "."])
        run_program([*BUILD, "--tag", "chainbox-tls", "--file", "deploy/compose/Tls.Dockerfile", "deploy/compose"])
        first = Stack(options.name, options.port)
        for made in (first, Stack(f"{first.name}2", first.port + 10)):
            removal = ("--profile", "tls", "--profile", "backups", "down", "--volumes", "--timeout", "20")
            made.compose(*removal)
            if not options.keep:
                stack.callback(made.compose, *removal)
        trial = ContainerTrial(first, Path(name), options.pictures, options.programs)
        try:
            sound = try_all(trial)
        finally:
            print(markdown(HEAD, trial.rows))
    return 0 if sound else 1


if __name__ == "__main__":
    sys.exit(try_containers())
