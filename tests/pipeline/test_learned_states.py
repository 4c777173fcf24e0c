"""The lessons of a project stand apart from its settings: what was given stays beside it, and no row is ever edited."""

from dataclasses import replace
from typing import Any

import pytest
from django.contrib.admin.utils import quote
from django.db import transaction

from annotation.models import Project
from belief.boxes.box_prior import BoxPrior
from belief.learned import LearnedState
from belief.links.link_prior import DEFAULT, WORDLESS, LinkPrior
from pipeline.learning.store_learned import given_to, store_learned
from pipeline.models import Learned as LearnedRow
from pipeline.models import Origin, SettingsVersion
from pipeline.models.learned import new_key
from pipeline.project.learned_states import learned_values
from pipeline.project.settings_versions import (
    all_settings,
    change_settings,
    chosen_versions,
    current_settings,
    open_project,
)
from tests.support.settings_with import settings_with

pytestmark = [pytest.mark.both_engines, pytest.mark.django_db]

GIVEN, ONCE, TWICE = (replace(WORDLESS, refitted_on=images).to_json() for images in (0, 15, 30))
BOXES = BoxPrior(refitted_on=15).to_json()
FIRST = settings_with(link_prior=GIVEN)


def refit(project: Project, **values: Any) -> None:
    learned = LearnedState.from_json(values)
    assert store_learned(project.id, current_settings(project.id)[0], learned, "a refit", answers=9)


def change(project: Project, **values: Any) -> None:
    settings = settings_with(current_settings(project.id)[1], **values)
    change_settings(project_id=project.id, settings=settings, reason="by hand")


def origins(project: Project) -> list[tuple[str, bool]]:
    rows = LearnedRow.objects.filter(project=project).order_by("created_at", "base")
    return sorted((row.origin, row.base_id is not None) for row in rows)


def test_a_project_without_learned_values_has_no_learned_state() -> None:
    project = open_project(name="parks")
    change(project, no_box_votes=3)
    assert not LearnedRow.objects.exists()


def test_a_refit_keeps_the_settings_and_what_was_given_and_every_version_reads_as_it_was() -> None:
    project = open_project(name="parks", settings=FIRST)
    refit(project, link_prior=ONCE)
    refit(project, link_prior=TWICE, box_prior=BOXES)
    change(project, no_box_votes=3)
    once, twice = settings_with(FIRST, link_prior=ONCE), settings_with(FIRST, link_prior=TWICE, box_prior=BOXES)
    assert all_settings(project.id) == {1: FIRST, 2: once, 3: twice, 4: replace(twice, no_box_votes=3)}
    assert chosen_versions(project.id) == {1: FIRST, 4: replace(FIRST, no_box_votes=3)}
    assert given_to(project.id) == LearnedState(links=LinkPrior.from_json(GIVEN))
    assert origins(project) == [("given", False), ("refit", True), ("refit", True)]
    states = list(SettingsVersion.objects.filter(project=project).order_by("version").values_list("learned", flat=True))
    assert len(set(states)) == 3 and states[2] == states[3], "a version that changes settings shares the learned state"
    third, fourth = (all_settings(project.id)[version].learned for version in (3, 4))
    assert third is fourth, "what is kept with a prior is kept once"


def test_a_learned_value_that_somebody_changes_is_given_and_the_others_stay_learned() -> None:
    project = open_project(name="parks", settings=FIRST)
    refit(project, link_prior=ONCE, box_prior=BOXES)
    change(project, link_prior={})
    assert current_settings(project.id)[1] == settings_with(FIRST, link_prior={}, box_prior=BOXES)
    assert chosen_versions(project.id) == {1: FIRST, 3: settings_with(FIRST, link_prior={})}


def test_what_was_learned_can_be_forgotten() -> None:
    project = open_project(name="parks", settings=FIRST)
    refit(project, link_prior=ONCE, box_prior=BOXES)
    change(project, link_prior=GIVEN, box_prior={})
    assert current_settings(project.id)[1] == FIRST
    first, _, last = SettingsVersion.objects.filter(project=project).order_by("version")
    assert first.learned == last.learned, "what was given is in force again"


def test_a_prior_that_a_refit_learned_elsewhere_is_in_force_and_was_not_given() -> None:
    project = open_project(name="copy", settings=settings_with(FIRST, link_prior=ONCE, link_errors={}))
    assert current_settings(project.id)[1].learned.links.to_json() == ONCE
    assert given_to(project.id).links == DEFAULT and origins(project) == [("refit", False)]
    change(project, link_prior=TWICE)
    assert current_settings(project.id)[1].learned.links.to_json() == TWICE and given_to(project.id).links == DEFAULT


def test_a_fit_that_somebody_asked_for_is_told_from_what_was_given_by_hand() -> None:
    project = open_project(name="parks")
    change_settings(project_id=project.id, settings=FIRST, origin=Origin.FITTED)
    assert origins(project) == [("fitted", False)]


def test_a_refit_that_comes_too_late_changes_nothing() -> None:
    project = open_project(name="parks")
    change(project, no_box_votes=3)
    assert store_learned(project.id, 1, LearnedState.from_json({"link_prior": ONCE}), "a refit", answers=9) is None
    assert not LearnedRow.objects.exists() and current_settings(project.id)[0] == 2


def test_a_state_whose_transaction_failed_is_never_read_for_another() -> None:
    project = open_project(name="parks")
    with pytest.raises(RuntimeError), transaction.atomic():
        change(project, link_prior=GIVEN)
        assert learned_values(LearnedRow.objects.get().key)["link_prior"] == GIVEN
        raise RuntimeError
    refit(project, link_prior=ONCE)
    assert current_settings(project.id)[1].learned.links.to_json() == ONCE


def test_a_key_stands_in_an_address_as_it_is_whatever_is_drawn(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("secrets.token_bytes", lambda size: b"\xff" * size)
    assert quote(new_key()) == new_key(), "the admin pages quote underscores"
