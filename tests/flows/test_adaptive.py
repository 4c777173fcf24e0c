"""A project whose links are asked adaptively, with a prior from other images and a crowd without mistakes."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from belief.links.fit_known import known_groups
from belief.links.fit_link_prior import fit_link_prior
from belief.links.link_prior import LinkPrior
from exchange.dataset import DatasetImage
from exchange.export_dataset import export_dataset
from exchange.formats.flickr30k.read import read_flickr30k
from pipeline.settings.of_belief import LinkStrategy
from pipeline.settings.settings import Settings
from simulation.compare_strategies import bed_image
from simulation.scenes.scene import write_source
from simulation.score import as_json, as_text
from studies.linking.adaptive_frontier import known
from tests.support.flows import Run, annotated, made_once
from tests.support.settings_with import settings_with

pytestmark = pytest.mark.django_db


def fitted(folder: Path) -> LinkPrior:
    """Fit a prior on scenes that are not in the project."""
    write_source(folder, 9, 40, pictures=False)
    images = [bed_image(image) for image in read_flickr30k(folder) if isinstance(image, DatasetImage)]
    return fit_link_prior(known_groups(map(known, images)))


@pytest.fixture(scope="module")
def runs(
    django_db_setup: None, django_db_blocker: Any, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[dict[LinkStrategy, Run]]:
    folder = tmp_path_factory.mktemp("adaptive")
    write_source(folder / "scenes", 8, 7, pictures=False)
    prior = fitted(folder / "others").to_json()
    protocols = (settings_with(strategy=LinkStrategy.ADAPTIVE, link_prior=prior), Settings())
    with made_once(django_db_blocker):
        yield {one.strategy: annotated(one.strategy.name, folder / "scenes", "perfect", 1, one) for one in protocols}


@pytest.fixture(scope="module")
def run(runs: dict[LinkStrategy, Run]) -> Run:
    return runs[LinkStrategy.ADAPTIVE]


def test_it_asks_fewer_links_than_the_papers_best_and_finds_the_chains(runs: dict[LinkStrategy, Run]) -> None:
    adaptive, greedy = (run.score.links for run in runs.values())
    assert 0 < adaptive.judgments < greedy.judgments
    assert adaptive.matched_chains >= 0.9 * adaptive.chains


def test_every_chain_is_exported_with_its_confidence_and_every_link_with_its_source(run: Run, tmp_path: Path) -> None:
    export_dataset(project=run.project, target=tmp_path / "out.jsonl", export_format="jsonl", card=False)
    images = [json.loads(line) for line in (tmp_path / "out.jsonl").read_text().splitlines()[1:]]
    confidences = [chain["confidence"] for image in images for chain in image["chains"]]
    assert all(one is None or 0 < one <= 1 for one in confidences)
    assert sum(one is not None for one in confidences) > 0.9 * len(confidences)
    links = [link for image in images for link in image["links"]]
    sources = {link["source"] for link in links}
    assert {"asked yes", "asked no", "inferred by transitivity", "inferred from the posterior"} <= sources
    assert all(0 <= link["same"] <= 1 for link in links if link["source"] == "inferred from the posterior")
    assert {link["source"] for link in links if "same" not in link} <= {
        "ruled out by caption", "ruled out by type", "merged by boxes", "split by verification", "set by an expert",
        "inferred by transitivity",
    }  # fmt: skip


def test_the_report_names_the_strategy_though_the_paper_has_no_figures_for_it(run: Run) -> None:
    data = as_json(run.project, run.outcome, run.score)
    assert "adaptive" in as_text(data)
