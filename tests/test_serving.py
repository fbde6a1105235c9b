"""The files of docs/operators.md can be read by their tools, if installed here, and name existing things."""

import json
import re
import subprocess
from pathlib import Path
from typing import Any

import pytest
import yaml

from dml_viz.data.files._base import MOST_BYTES
from dml_viz.export import cli
from dml_viz.serve import launch
from dml_viz.serve.configuration import CHOICES
from tests.programs import NGINX

ROOT = Path(__file__).parents[1]
FOLDER = ROOT / "docs/serving"
GUIDE = (ROOT / "docs/operators.md").read_text(encoding="utf-8")
COMPOSE: dict[str, Any] = yaml.safe_load((FOLDER / "compose.yaml").read_text(encoding="utf-8"))
OBJECTS: list[dict[str, Any]] = list(yaml.safe_load_all((FOLDER / "kubernetes.yaml").read_text(encoding="utf-8")))


def started_by_the_image() -> list[str]:
    """The command of a container, as its image has it."""
    [line] = re.findall(r"^CMD (\[.*\])$", (FOLDER / "Dockerfile").read_text(encoding="utf-8"), re.MULTILINE)
    return list(json.loads(line))


def of_kind(kind: str) -> dict[str, dict[str, Any]]:
    return {each["metadata"]["name"]: each["spec"] for each in OBJECTS if each["kind"] == kind}


def test_nginx_takes_its_configuration(tmp_path: Path) -> None:
    path = NGINX.path()
    whole = tmp_path / "nginx.conf"
    whole.write_text(f"pid {tmp_path}/pid; events {{}}\nhttp {{ include {FOLDER}/nginx.conf; }}\n")
    checked = subprocess.run([path, "-t", "-c", str(whole), "-e", f"{tmp_path}/log"], capture_output=True, text=True)
    assert checked.returncode == 0, checked.stderr
    assert "warn" not in checked.stderr


def test_nginx_leaves_its_buffers_at_their_defaults_and_lets_sockets_through() -> None:
    site = (FOLDER / "nginx.conf").read_text(encoding="utf-8")
    assert "buffer" not in site
    assert "proxy_set_header Upgrade $http_upgrade;" in site
    ports = set(re.findall(r"server 127\.0\.0\.1:(\d+)", site))
    assert ports == set(re.findall(r'"~:(\d+)\$"', site)) == {"8501", "8502"}


def test_proxies_let_through_the_largest_file_that_the_app_takes() -> None:
    needed = (MOST_BYTES >> 20) + 1  # a file in a request has a head and an end
    site = (FOLDER / "nginx.conf").read_text(encoding="utf-8")
    ingress, _ = (each["metadata"]["annotations"] for each in OBJECTS if each["kind"] == "Ingress")
    found = re.findall(r"client_max_body_size (\d+)m;", site), ingress["nginx.ingress.kubernetes.io/proxy-body-size"]
    assert min(map(int, (*found[0], found[1].removesuffix("m")))) >= needed


def test_compose_has_the_replicas_that_nginx_looks_for_over_one_store_and_one_cluster() -> None:
    services = COMPOSE["services"]
    assert services["proxy"]["volumes"] == ["./nginx.conf:/etc/nginx/conf.d/default.conf:ro"]
    assert "--server.port=8502" in services["two"]["command"]
    for command in (services["two"]["command"], started_by_the_image()):
        program, name, *options = command
        assert program == "dml-viz"
        _, others = cli.parsers()[name].parse_known_args(options)
        assert launch.streamlit_options(cli.parsers()[name], others) == others
    for name in ("one", "two"):
        assert services[name]["network_mode"] == "service:proxy"
        assert services[name]["volumes"] == [f"store:{services[name]['environment']['DML_VIZ_STORE']}"]
    assert all(needed in services for each in services.values() for needed in each.get("depends_on", ()))
    assert (FOLDER / services["one"]["build"]["context"] / services["one"]["build"]["dockerfile"]).is_file()


@pytest.mark.parametrize("name", of_kind("Deployment"))
def test_deployments_select_their_own_pods_and_mount_volumes_that_are_there(name: str) -> None:
    spec = of_kind("Deployment")[name]
    pod = spec["template"]
    assert spec["selector"]["matchLabels"] == pod["metadata"]["labels"]
    volumes = {each["name"]: each["persistentVolumeClaim"]["claimName"] for each in pod["spec"].get("volumes", ())}
    assert set(volumes.values()) <= of_kind("PersistentVolumeClaim").keys()
    for container in pod["spec"]["containers"]:
        assert {mount["name"] for mount in container.get("volumeMounts", ())} == volumes.keys()
        assert container["resources"]["requests"].keys() == {"cpu", "memory"}
    if spec["replicas"] > 1 and volumes:
        assert of_kind("PersistentVolumeClaim")[volumes["store"]]["accessModes"] == ["ReadWriteMany"]


def test_services_and_the_ingress_lead_to_pods_that_listen() -> None:
    listens = {
        name: {port["containerPort"] for each in spec["template"]["spec"]["containers"] for port in each.get("ports", ())}
        for name, spec in of_kind("Deployment").items()
    }
    for spec in of_kind("Service").values():
        assert {port["targetPort"] for port in spec["ports"]} <= listens[spec["selector"]["app"]]
    for ingress in of_kind("Ingress").values():
        (path,) = ingress["rules"][0]["http"]["paths"]
        backend = path["backend"]["service"]
        assert backend["port"]["number"] in {port["port"] for port in of_kind("Service")[backend["name"]]["ports"]}


def test_the_guide_and_the_files_have_the_same_choices() -> None:
    named = {f"DML_VIZ_{name.upper()}" for name in CHOICES}
    assert named == set(re.findall(r"`(DML_VIZ_\w+)`", GUIDE))
    for path in FOLDER.iterdir():
        assert set(re.findall(r"DML_VIZ_\w+", path.read_text(encoding="utf-8"))) <= named


def test_links_and_make_targets_of_the_guide_exist() -> None:
    targets = set(re.findall(r"^([a-z]+):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE))
    assert set(re.findall(r"^(?:\w+=\S+ )?make ([a-z]+)", GUIDE, re.MULTILINE)) <= targets
    for target in re.findall(r"\]\((?!https?:|#)([^)]+)\)", GUIDE):
        assert (ROOT / "docs" / target).exists()
    for name in set(re.findall(r"requirements-?\w*\.txt", GUIDE)):
        assert (ROOT / name).is_file()
