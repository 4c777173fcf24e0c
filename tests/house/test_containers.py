"""The image and the Compose file: few rights, read-only, watched.
deploy/kubernetes: valid for Kubernetes, and in agreement with the image, the settings and the health addresses.
"""

import json
import os
import re
import runpy
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import kubernetes_validate
import pytest
import yaml
from django.test import Client
from django.utils.translation import gettext, override
from gunicorn.config import Config

from config.environment import Environment, read_environment
from config.runners import commands, name_of
from config.web_worker import ALIVE
from pipeline.jobs import tick_job
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
    """The times of services that Kubernetes runs, too, are compared with its own."""
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


FOLDER = ROOT / "deploy/kubernetes"
KUSTOMIZATION = yaml.safe_load((FOLDER / "kustomization.yaml").read_text())
RELEASES = ("1.31", kubernetes_validate.latest_version())
KEYS = {"AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"}
OF_OTHERS = {"TMPDIR", "GUNICORN_CMD_ARGS", *KEYS}
"""Variables that Python, gunicorn and boto3 read."""


def settings_of(file: str) -> dict[str, str]:
    lines = (FOLDER / file).read_text().splitlines()
    return dict(line.split("=", 1) for line in lines if line and not line.startswith("#"))


def built() -> Iterator[dict[str, Any]]:
    """Yield what kustomize makes of the folder, but for namespaces and names with digests."""
    for file in KUSTOMIZATION["resources"]:
        yield from yaml.safe_load_all((FOLDER / file).read_text())
    for one in KUSTOMIZATION["configMapGenerator"]:
        data = {name: value for file in one["envs"] for name, value in settings_of(file).items()}
        yield {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": one["name"]}, "data": data}


OBJECTS = list(built())
WORK = {one["metadata"]["name"]: one["spec"]["template"] for one in OBJECTS if "template" in one.get("spec", {})}
SETTINGS = next(one["data"] for one in OBJECTS if one["kind"] == "ConfigMap")
each_pod = pytest.mark.parametrize("name", WORK)


def container(name: str) -> dict[str, Any]:
    [only] = WORK[name]["spec"]["containers"]
    return dict(only)


def probes(name: str) -> dict[str, dict[str, Any]]:
    return {key: probe for key, probe in container(name).items() if key.endswith("Probe")}


def test_every_file_is_named_and_fits_the_api_of_old_and_new_releases() -> None:
    named = {*KUSTOMIZATION["resources"], *KUSTOMIZATION["configMapGenerator"][0]["envs"], "kustomization.yaml"}
    assert {path.name for path in FOLDER.iterdir()} == named
    for release in RELEASES:
        for one in OBJECTS:
            kubernetes_validate.validate(one, release, strict=True)
    wrong = {**OBJECTS[1], "spec": {**OBJECTS[1]["spec"], "replica": 2}}
    with pytest.raises(kubernetes_validate.ValidationError, match="replica"):
        kubernetes_validate.validate(wrong, RELEASES[-1], strict=True)


def test_every_setting_exists_and_is_accepted_and_secrets_are_elsewhere() -> None:
    of_scripts = set(re.findall(r"\$\{([A-Z_]+)", (ROOT / "scripts/process.sh").read_text()))
    compose = {name for one in ("web", "worker", "beat") for name in SERVICES[one]["environment"]}
    assert {*SETTINGS, *compose} - {*Environment.model_fields, *of_scripts, *OF_OTHERS} == set()
    secrets = {name for name, field in Environment.model_fields.items() if not field.repr} | KEYS
    assert set(SETTINGS) & secrets == set()
    assert "Secret" not in {one["kind"] for one in OBJECTS}
    read = read_environment(SETTINGS)
    assert read.S3_BUCKET, "pods have no folder in common"
    assert read.PROXIES == 1 and not read.MIGRATE
    told = (ROOT / "docs/how-to/operations.md").read_text().partition("## With Kubernetes")[2].partition("\n## ")[0]
    asked = set(re.findall(r"`([A-Z_]+)`", told))
    assert {"SECRET_KEY", "DATABASE_URL", "REDIS_URL"} <= asked <= secrets


@each_pod
def test_every_pod_runs_the_image_with_few_rights(name: str) -> None:
    pod, only = WORK[name]["spec"], container(name)
    assert (only["image"], only["args"]) == (SERVICES["web"]["image"], [name])
    assert KUSTOMIZATION["images"][0]["name"] == only["image"]
    process = re.search(r"case \$\{1:-\} in (.*)\) python", (ROOT / "scripts/process.sh").read_text())
    assert process and name in process[1].split(" | ") and 'ENTRYPOINT ["scripts/process.sh"]' in STAGES[-1]
    uid = int(SERVICES["web"]["user"].split(":")[0])
    assert f"--uid {uid} " in STAGES[-1]
    assert (pod["securityContext"]["runAsUser"], pod["securityContext"]["runAsNonRoot"]) == (uid, True)
    rights = {"allowPrivilegeEscalation": False, "readOnlyRootFilesystem": True, "capabilities": {"drop": ["ALL"]}}
    assert only["securityContext"] == rights
    assert pod["automountServiceAccountToken"] is False
    assert set(only["resources"]["requests"]) == {"cpu", "memory"} and "memory" in only["resources"]["limits"]
    assert [next(iter(one)) for one in only["envFrom"]] == ["configMapRef", "secretRef"] and "env" not in only
    limits = [one["emptyDir"].get("sizeLimit") for one in pod["volumes"]]
    assert all(limits), "a pod must not fill the disk of its machine"
    places = {one["name"]: one["mountPath"] for one in only["volumeMounts"]}
    assert set(places) == {one["name"] for one in pod["volumes"]}
    written = {SETTINGS["CHAINBOX_DATA"].rpartition("/")[0], SETTINGS["TMPDIR"], "/tmp"}
    assert set(places.values()) == written


def test_a_pod_may_take_as_long_to_stop_as_a_container_of_compose() -> None:
    for name in set(WORK) - {"migrate"}:
        assert f"{WORK[name]['spec']['terminationGracePeriodSeconds']}s" == SERVICES[name]["stop_grace_period"]


def test_pods_reach_mail_servers_and_monitors_reach_pods() -> None:
    rules = {one["metadata"]["name"]: one["spec"] for one in OBJECTS if one["kind"] == "NetworkPolicy"}
    out = {port["port"] for rule in rules["chainbox"]["egress"] for port in rule["ports"]}
    assert {465, 587} <= out
    [inward] = rules["web"]["ingress"]
    spaces = [one["namespaceSelector"]["matchLabels"] for one in inward["from"] if "namespaceSelector" in one]
    assert {"kubernetes.io/metadata.name": "monitoring"} in spaces


def test_ports_and_labels_lead_to_pods() -> None:
    [port] = container("web")["ports"]
    assert f"EXPOSE {port['containerPort']}" in STAGES[-1]
    assert f"0.0.0.0:{port['containerPort']}" in (ROOT / "scripts/process.sh").read_text()
    selected = []
    for one in OBJECTS:
        spec = one.get("spec", {})
        wanted = spec.get("podSelector") or spec.get("selector") or {}
        labels = wanted.get("matchLabels", wanted)
        found = [name for name, pod in WORK.items() if labels.items() <= pod["metadata"]["labels"].items()]
        assert found or not labels, one["metadata"]["name"]
        selected.append((one["kind"], *found))
    budgets = {name for kind, *names in selected if kind == "PodDisruptionBudget" for name in names}
    assert budgets == set(WORK) - {"migrate"}
    assert ("NetworkPolicy", *WORK) in selected and ("Service", "web") in selected


def test_probes_ask_what_the_service_answers(client: Client, db: None) -> None:
    tick_job()
    parts = client.get("/readyz", headers={"host": "10.0.0.1"}).json()
    for name in WORK:
        for key, probe in probes(name).items():
            if asked := probe.get("httpGet"):
                path, host = asked["path"], {"host": "10.0.0.1"}
                # The event loop answers the first without Django; tests of serving ask a real process for it.
                assert path == ALIVE or client.get(path, headers=host).status_code == 200, key
                assert asked["port"] == "http"
                continue
            [python, script, where, *wanted] = probe["exec"]["command"]
            assert python == "python" and (ROOT / script).is_file()
            if where == "processes":
                assert wanted == [name_of(one) for one in commands(1, clock=False)]
                assert SERVICES["worker"]["healthcheck"]["test"][1:] == probe["exec"]["command"]
            else:
                assert where.endswith(":8000/readyz") and set(wanted) <= set(parts)
    assert set(probes("web")) == {"startupProbe", "readinessProbe", "livenessProbe"}
    assert all("livenessProbe" in probes(name) for name in set(WORK) - {"migrate"})
