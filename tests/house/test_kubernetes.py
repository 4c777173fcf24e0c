"""deploy/kubernetes: valid for Kubernetes, and in agreement with the image, the settings and the health addresses."""

import re
from collections.abc import Iterator
from typing import Any

import kubernetes_validate
import pytest
import yaml
from django.test import Client

from config.environment import Environment, read_environment
from config.runners import commands, name_of
from config.web_worker import ALIVE
from pipeline.jobs import tick_job
from tests.house.test_containers import SERVICES, STAGES
from tests.support.places import ROOT

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
