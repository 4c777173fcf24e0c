"""The image and the Compose file: few rights, read-only, watched."""

import json
import os
import re
import runpy
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import yaml
from django.utils.translation import gettext, override
from gunicorn.config import Config

from config.environment import Environment
from runtime.faults import BUSY
from tests.support.places import ROOT
from tests.support.web_server import Answering

STAGES = re.split(r"^(?=FROM )", (ROOT / "Dockerfile").read_text(), flags=re.M)[1:]
COMPOSE = yaml.safe_load((ROOT / "docker-compose.yml").read_text())
SERVICES = COMPOSE["services"]
KNOWN = {
    "build", "image", "command", "environment", "env_file", "volumes", "depends_on", "ports", "restart", "healthcheck",
    "read_only", "tmpfs", "user", "cap_drop", "security_opt", "entrypoint",
    "stop_grace_period", "stop_signal", "profiles",
}  # fmt: skip
OWN = [name for name, service in SERVICES.items() if service["image"] == "chainbox"]
"""The services that run the program."""
NGINX = (ROOT / "deploy/compose/nginx.conf.template").read_text()
each_service = pytest.mark.parametrize("name", SERVICES)


@each_service
def test_every_service_starts_again_and_is_watched(name: str) -> None:
    service = SERVICES[name]
    assert set(service) <= KNOWN and service["restart"] == "unless-stopped"
    health = service["healthcheck"]
    assert health["test"][0] in ("CMD", "CMD-SHELL") and len(health["test"]) > 1
    assert {"interval", "timeout", "retries"} <= set(health)


@each_service
def test_every_service_has_few_rights(name: str) -> None:
    service = SERVICES[name]
    assert service["read_only"] is True and service["cap_drop"] == ["ALL"]
    assert service["security_opt"] == ["no-new-privileges:true"]
    assert str(service["user"]).split(":")[0] not in ("", "0", "root") and service.get("privileged") is None
    assert not [one for one in service.get("volumes", ()) if "docker.sock" in str(one)]


@each_service
def test_every_volume_and_every_service_that_is_named_exists(name: str) -> None:
    service = SERVICES[name]
    named = [one.split(":")[0] for one in service.get("volumes", ()) if isinstance(one, str)]
    assert {one for one in named if "/" not in one} <= set(COMPOSE["volumes"])
    assert set(service.get("depends_on", ())) <= set(SERVICES)


@pytest.mark.parametrize("name", OWN)
def test_compose_hands_every_variable_of_the_service_on_and_fixes_only_what_it_must(name: str) -> None:
    """`env_file` holds whatever an administrator writes; a variable under `environment` would win over it."""
    service = SERVICES[name]
    assert service["env_file"] == ".env"
    fixed = set(service["environment"]) & set(Environment.model_fields)
    required = {one for one in fixed if str(service["environment"][one]) == f"${{{one}:?set {one} in .env}}"}
    assert required == {"SECRET_KEY", "ALLOWED_HOSTS"}
    assert fixed - required <= {"DATABASE_URL", "REDIS_URL", "BIND", "CHAINBOX_DATA", "PROXIES", "ACCEL_REDIRECT"}
    assert not [one for one in fixed if Environment.model_fields[one].json_schema_extra["tests_only"]]  # type: ignore[call-overload,index]


@pytest.mark.slow
def test_a_variable_in_the_file_reaches_every_process_of_compose(tmp_path: Path) -> None:
    compose = shutil.which("docker-compose")
    if not compose:
        pytest.skip("docker-compose is not installed: scripts/system_packages.sh")
    shutil.copytree(ROOT / "deploy/compose", tmp_path / "deploy/compose")
    (tmp_path / "docker-compose.yml").write_text((ROOT / "docker-compose.yml").read_text())
    names = {*Environment.model_fields, "POSTGRES_PASSWORD", "AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"}
    (tmp_path / ".env").write_text("".join(f"{name}=of-{name.lower()}\n" for name in sorted(names - {"PORT"})))
    env = {"PATH": os.environ["PATH"], "HOME": str(tmp_path)}
    command = [compose, "--profile", "tls", "--profile", "backups", "config"]
    done = subprocess.run(command, cwd=tmp_path, env=env, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    for name in OWN:
        found = yaml.safe_load(done.stdout)["services"][name]["environment"]
        fixed = {"DATABASE_URL", "REDIS_URL", "BIND", "CHAINBOX_DATA"}
        fixed |= {"PROXIES", "ACCEL_REDIRECT"} if name == "web" else set()
        for variable in names - fixed - {"PORT"}:
            assert found[variable] == f"of-{variable.lower()}"


def test_every_folder_that_the_service_writes_into_is_a_volume_or_memory() -> None:
    for name in OWN:
        service = SERVICES[name]
        places = {*service["tmpfs"], *(one.split(":")[1] for one in service["volumes"])}
        assert {service["environment"]["CHAINBOX_DATA"], service["environment"]["TMPDIR"], "/tmp"} <= places


def test_the_last_stage_installs_nothing_with_pip_and_does_not_run_as_root() -> None:
    assert len(STAGES) >= 3
    last = STAGES[-1]
    assert "pip" not in re.sub(r"#.*", "", last) and "USER chainbox" in last
    assert last.index("USER chainbox") > last.rindex("RUN ") and "HEALTHCHECK" in last
    installs = re.findall(r"pip (?:--python \S+ )?(install|wheel) (\S+)", re.sub(r"#.*", "", "".join(STAGES[:-1])))
    assert {how for _, how in installs} == {"--require-hashes", "--no-deps"}


def test_the_client_in_the_image_has_the_version_of_the_server() -> None:
    server = SERVICES["postgres"]["image"].partition(":")[2].partition(".")[0].partition("-")[0]
    assert f"postgresql-client-{server} " in STAGES[-1]


@pytest.mark.parametrize("name", sorted(path.name for path in ROOT.glob("requirements*.txt")))
def test_every_package_is_pinned_with_hashes(name: str) -> None:
    text = re.sub(r"\s*#.*", "", (ROOT / name).read_text())
    packages = [one for one in text.replace("\\\n", " ").splitlines() if one.strip()]
    assert len(packages) > (20 if name in ("requirements.txt", "requirements-dev.txt") else 0)
    for package in packages:
        assert re.match(r"[\w.\[\]-]+==\S+ ", package), package
        assert "--hash=sha256:" in package, package


def test_every_package_of_the_pages_is_pinned_with_a_digest() -> None:
    packages = json.loads((ROOT / "frontend/package-lock.json").read_text())["packages"]
    named = {name: package for name, package in packages.items() if name and not package.get("link")}
    assert named
    assert not [name for name, package in named.items() if not package.get("integrity", "").startswith("sha512-")]


def healthy(url: str, *parts: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "scripts/healthy.py", url, *parts]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)


def test_a_container_is_healthy_by_its_own_parts_alone() -> None:
    parts = {"database": "ok", "redis": "not used", "tick": "the last one ended 900 s ago"}
    with Answering(lambda path, headers: (503, json.dumps(parts).encode(), {})) as service:
        url = f"{service.url}/readyz"
        assert healthy(url, "database", "redis").returncode == 0
        done = healthy(url, "database", "tick")
        assert (done.returncode, done.stderr) == (1, "tick: the last one ended 900 s ago")
        assert healthy(url, "disk").returncode == 1
        service.answer = lambda path, headers: (503, b"<html>", {})
        assert healthy(url, "database").returncode == 1
    assert healthy("http://127.0.0.1:9/readyz", "database").returncode == 1, "no answer"


def test_a_container_of_runners_is_healthy_while_each_of_them_is_there() -> None:
    own = Path("/proc/self/comm").read_text().strip()
    assert healthy("processes", own).returncode == 0
    done = healthy("processes", own, "jobs never")
    assert (done.returncode, done.stderr) == (1, "jobs never: no such process")


def test_what_can_be_scaled_has_no_port_and_no_name_of_its_own_and_the_database_and_redis_no_port() -> None:
    for name in ("web", "worker", "beat"):
        assert not {"ports", "container_name", "hostname"} & set(SERVICES[name])
    assert not SERVICES["postgres"].get("ports") and not SERVICES["redis"].get("ports")
    assert SERVICES["proxy"]["ports"]
    # `resolve` looks a name up again and again, so that the proxy finds every container.
    assert "server web:8000 resolve" in NGINX and NGINX.count("proxy_pass http://web;") == 2


def seconds(text: str) -> int:
    return int(text.removesuffix("s"))


def test_a_service_may_take_as_long_to_stop_as_its_last_work() -> None:
    """The times of services that Kubernetes runs, too, are compared with its own (test_kubernetes)."""
    grace = {name: seconds(service["stop_grace_period"]) for name, service in SERVICES.items()}
    assert grace["web"] > Config().graceful_timeout + 5
    reads = re.search(r"proxy_read_timeout (\d+s)", NGINX)
    assert reads and min(grace["proxy"], grace["tls"]) > seconds(reads[1])


def test_the_proxy_answers_programs_in_the_words_of_the_service() -> None:
    """nginx has no catalogue: its two sentences stand in its configuration."""
    said = dict(re.findall(r'^ +(default|"~\*\^de") "(.+)";$', NGINX, re.M))
    with override("de"):
        assert said == {"default": BUSY.message, '"~*^de"': gettext(BUSY.message)}
    assert f'{{"code":"{BUSY.code}","message":"$busy"}}' in NGINX
    assert f"add_header Retry-After {BUSY.retry_seconds} always" in NGINX


def test_a_page_of_the_proxy_needs_nothing_from_elsewhere_and_is_asked_for_again_only_if_nothing_was_sent() -> None:
    page = (ROOT / "deploy/compose/one_moment.html").read_text()
    assert not re.search(r"<script|<link|src=|url\(|http-equiv", page)
    assert '<html lang="en">' in page and '<div lang="de">' in page and "color-scheme: light dark" in page
    assert '"~^(GET|HEAD) " 3;' in NGINX and "add_header Refresh $seconds_until_again always;" in NGINX


def test_tls_ends_in_a_container_without_a_right() -> None:
    """The image's program asks for one by its file, and would not start."""
    made = (ROOT / "deploy/compose" / SERVICES["tls"]["build"]["dockerfile"]).read_text()
    assert "setcap -r /usr/bin/caddy" in made and "chown -R 1000:1000 /data" in made
    told = (ROOT / "deploy/compose/Caddyfile").read_text()
    ports = [one.split(":")[-1] for one in SERVICES["tls"]["ports"]]
    assert re.findall(r"https?_port (\d+)", told) == ports and "reverse_proxy proxy:8080" in told


def test_the_trial_of_the_containers_starts_every_service() -> None:
    """scripts/containers.py needs an engine, so no test runs it."""
    started = set(runpy.run_path(str(ROOT / "scripts/containers.py"))["SCALE"])
    assert started | {"tls", "backups"} == set(SERVICES)
    assert all(SERVICES[name].get("profiles") == [name] for name in {"tls", "backups"})
