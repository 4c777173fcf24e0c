"""A project learns from images whose chains are known, and links adaptively from then on.
Weights and errors are learned from answers alone, in worlds where they are known.
The lessons of evidence for a project: a new state, pulled towards what was given, with the rest as it was.
"""

from dataclasses import replace
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from annotation.models import Gold, Mention, Project
from annotation.rules.transitivity import LinkMention
from belief.boxes.box_prior import BoxPrior
from belief.learned import LearnedState
from belief.links.answer_model import PAPER_ERRORS, CrowdErrors, LinkAnswer
from belief.links.link_prior import DEFAULT, WORDLESS, LinkPrior
from belief.links.refit_from_answers import JudgedGroup, refit_from_answers
from exchange.import_dataset import import_dataset
from pipeline.learning.fit_prior import fit_prior, heads_of_captions, known_groups
from pipeline.learning.learn import ChainEvidence, LinkEvidence, learn, weighable
from pipeline.models import SettingsVersion
from pipeline.policies.compose import adaptive_links
from pipeline.project.settings_versions import current_settings
from pipeline.protocol.state.progress import TallyVote
from pipeline.settings.of_belief import LinkStrategy
from pipeline.settings.settings import Settings
from simulation.compare_strategies import begun
from simulation.scenes.scene import write_source
from simulation.simulate import simulate
from tests.support.link_groups import ALIKE, OTHER, PLANTED, drawn, odds
from tests.support.table import row

pytestmark = pytest.mark.django_db


def a_project(folder: Path, images: int, *, name: str = "known") -> Project:
    """Of drawn scenes."""
    write_source(folder / name, 9, images, pictures=False)
    import_dataset(project_name=name, path=folder / name, gold=True)
    return Project.objects.get(name=name)


def test_what_it_learns_becomes_a_version_of_the_settings(tmp_path: Path) -> None:
    known, other = a_project(tmp_path, 20), a_project(tmp_path, 1, name="other")
    version = fit_prior(other.pk, [known], stop=0.2)
    now, settings = current_settings(other.pk)
    assert (now, settings.strategy, settings.link_stop) == (version, LinkStrategy.ADAPTIVE, 0.2)
    assert settings.learned.links.fitted_on > 20
    assert "groups of known" in SettingsVersion.objects.get(project=other, version=version).reason
    assert current_settings(known.pk)[1].strategy is not LinkStrategy.ADAPTIVE


@pytest.mark.slow
def test_finished_images_are_known_as_they_came_out(tmp_path: Path) -> None:
    project = a_project(tmp_path, 3)
    by_gold = [list(chains) for _, chains in known_groups(project)]
    simulate(project=project, crowd="perfect", seed=1)
    Gold.objects.all().delete()
    by_result = [list(chains) for _, chains in known_groups(project)]
    assert len(by_result) == len(by_gold) > 3
    ordered = [[[chains.index(one) for one in chains] for chains in found] for found in (by_result, by_gold)]
    assert ordered[0] == ordered[1], "each chain by its first appearance"


def test_a_project_that_knows_no_chains_reads_its_captions(tmp_path: Path) -> None:
    project = a_project(tmp_path, 20)
    Gold.objects.all().delete()
    out = StringIO()
    call_command("fit_link_prior", "known", "--captions-only", stdout=out)
    prior = current_settings(project.pk)[1].learned.links
    assert f"{len(prior.alike):,} pairs of head nouns read from captions" in out.getvalue()
    assert len(prior.alike) > 5 and prior.pairs == DEFAULT.pairs and prior.fitted_on == 0
    assert prior.alike == heads_of_captions([project.pk])


def test_a_fit_on_known_chains_reads_the_captions_of_both_projects(tmp_path: Path) -> None:
    known, other = a_project(tmp_path, 20), a_project(tmp_path, 1, name="other")
    fit_prior(other.pk, [known])
    alike = current_settings(other.pk)[1].learned.links.alike
    assert alike == heads_of_captions([known.pk, other.pk]) != heads_of_captions([known.pk])


@pytest.mark.both_engines
def test_the_command_says_what_it_found_and_which_version_it_made(tmp_path: Path) -> None:
    a_project(tmp_path, 20)
    out, err = StringIO(), StringIO()
    call_command("fit_link_prior", "known", stdout=out, stderr=err)
    assert "same head" in out.getvalue() and "(settings version 2)" in out.getvalue()
    assert "groups are few" in err.getvalue()


def forget_chains() -> None:
    Gold.objects.all().delete()


def forget_phrases() -> None:
    Mention.objects.all().delete()


@row(list, ["nobody"], "nobody")
@row(list, ["known", "--stop", "2"], "link_stop=2")
@row(list, ["known", "--from", "none"], "none")
@row(forget_chains, ["known"], "nothing to learn from")
@row(forget_phrases, ["known", "--captions-only"], "nothing to learn from")
@pytest.mark.both_engines
def test_what_cannot_be_is_refused_by_name_and_changes_nothing(
    before: Any, words: list[str], said: str, tmp_path: Path
):
    project = a_project(tmp_path, 2)
    before()
    with pytest.raises(CommandError, match=said):
        call_command("fit_link_prior", *words)
    assert current_settings(project.pk)[0] == 1


def test_what_tells_in_the_world_gets_its_weight_without_any_gold():
    learned = refit_from_answers(drawn(400, PLANTED, PAPER_ERRORS, 1), DEFAULT, l2=0.3).prior
    for pair in (ALIKE, OTHER):
        assert odds(learned, pair) == pytest.approx(odds(PLANTED, pair), abs=0.5)
    assert odds(DEFAULT, ALIKE) - odds(DEFAULT, OTHER) < odds(PLANTED, ALIKE) - odds(PLANTED, OTHER)


@pytest.mark.slow
@pytest.mark.parametrize("errors", [CrowdErrors(0.12, 0.1), CrowdErrors(0.04, 0.15), CrowdErrors(0.015, 0.01)], ids=str)
def test_the_crowds_errors_are_found_without_any_gold(errors: CrowdErrors):
    found = refit_from_answers(drawn(1000, PLANTED, errors, 2), PLANTED, imagined=1).errors
    assert found == pytest.approx(errors, abs=0.02)


def test_words_that_say_nothing_lose_their_weight():
    silent = drawn(400, LinkPrior({"": (0.0, -0.5, -0.5, -0.5, 0.0)}), PAPER_ERRORS, 4)
    learned = refit_from_answers(silent, DEFAULT).prior
    before, after = (odds(prior, ALIKE) - odds(prior, OTHER) for prior in (DEFAULT, learned))
    assert abs(after) < before / 3


ADAPTIVE = Settings(strategy=LinkStrategy.ADAPTIVE)
GIVEN = LearnedState(links=replace(WORDLESS, pairs={"same head": 3.0}), boxes=BoxPrior(none={"animals": 0.5}))
OF_BOXES, OF_PROGRAMS = BoxPrior(refitted_on=9), {"7": (0.1, 0.2)}
LEARNED = LearnedState(replace(DEFAULT, refitted_on=15), CrowdErrors(0.2, 0.1), programs=OF_PROGRAMS, boxes=OF_BOXES)
MEN = tuple(LinkMention(number, number, 0, frozenset({"people"}), "man") for number in range(3))
ANSWERS = {(0, 1): [LinkAnswer(same=False, skill=0.0)] * 3, (1, 2): [LinkAnswer(same=False, skill=0.0)] * 3}
GROUPS = [JudgedGroup(MEN, ANSWERS)] * 20


def test_links_teach_weights_and_errors_and_leave_boxes_as_they_are_each_time_the_same() -> None:
    before = LEARNED.to_json()
    found, again = (learn(ADAPTIVE, LEARNED, LinkEvidence(GROUPS, 20), GIVEN) for _ in range(2))
    assert found == again and LEARNED.to_json() == before, "nothing that was read changes"
    assert found.links.pairs["same head"] < 3.0 and found.links.refitted_on == 20 and found.crowd != LEARNED.crowd
    assert (found.boxes, found.programs) == (LEARNED.boxes, LEARNED.programs)


def test_without_evidence_what_was_given_comes_back_and_not_what_was_learned() -> None:
    links = learn(ADAPTIVE, LEARNED, LinkEvidence((), 0), GIVEN)
    assert (links.links, links.crowd) == (GIVEN.links, PAPER_ERRORS)
    assert learn(ADAPTIVE, LEARNED, ChainEvidence((), 0), GIVEN) == replace(LEARNED, boxes=GIVEN.boxes)


def test_joins_are_learned_where_links_beyond_the_rules_are_asked_and_too_large_groups_are_not_weighed() -> None:
    image = begun([MEN[0], MEN[1]._replace(caption=0, start=4)])
    image.votes[0, 1] = [TallyVote(entry, worker=1, answer=False) for entry in range(5)]
    for beyond in (True, False):
        settings = replace(ADAPTIVE, beyond_rules=beyond)
        evidence = LinkEvidence(GROUPS, 20, adaptive_links(settings).linked(image, [[0], [1]]) * 40)
        assert (learn(settings, LearnedState(), evidence, LearnedState()).links.joins != DEFAULT.joins) is beyond
    assert weighable([*GROUPS, JudgedGroup(MEN * 20, {}), JudgedGroup(MEN[:1], {})]) == 20
