"""Effects of a change in sentences: what it does to open work, computed before anything is saved."""

from collections.abc import Iterator
from typing import NamedTuple

from annotation.models import Chain
from annotation.rules.states import ChainState
from belief.models.calibration import MIN_AUDITED_CHAINS
from pipeline.models import Assignment
from pipeline.money.spend_cap import answers_of_people, committed
from pipeline.policies.compose import compose, engine_of
from pipeline.protocol.tasks.flow import BOXING
from pipeline.record.preview_settings import SettingsPreview, preview_settings
from pipeline.settings.guide import changes_images
from pipeline.settings.of_belief import BoxPolicyName
from pipeline.settings.of_work import MoneySettings
from pipeline.settings.settings import Settings
from runtime.words import money
from workers.models import TrustStatus
from workers.rules.trust_states import TrustState

OF_A_LEASE = ("batch", "reward_cents", "lease_minutes", "lease_most_minutes")
OF_TRUST = ("trust", "minimum", "below_minimum", "probation", "probation_most", "trusted_rate", "verification_rate")
WHEN_PLACED = ("verify_below", "drawn_at_once")
WEIGHED_ANEW = {
    BoxPolicyName.PAPER: frozenset[str](),
    BoxPolicyName.BELIEF: frozenset({"box_sure", "box_prior", "fuse_boxes", "redraw_below"}),
}
"""The settings by which a box policy weighs chains."""
WHEN_MERGED = ("merge_iou", "merge_iou_other", "mergeable_types")


class ImageScope(NamedTuple):
    """One of the images for which a change may take effect, and what it does to them."""

    value: str
    label: str
    sentences: list[str]


def scopes(project_id: int, old: Settings, new: Settings) -> list[ImageScope]:
    """Return the two ways to save a change that acts on images; none if it does not act on them."""
    if not changes_images(old, new):
        return []
    return [all_images(project_id, old, new), fresh_images(project_id, old, new)]


def all_again(project_id: int, old: Settings, new: Settings) -> list[ImageScope]:
    """Return the one way to save the same settings once more: for all images."""
    return [all_images(project_id, old, new)]


def all_images(project_id: int, old: Settings, new: Settings) -> ImageScope:
    every = preview_settings(project_id=project_id, settings=new)
    label = f"For all images that are not finished: {every.follow:,}"
    return ImageScope("all", label, list(_of_images(project_id, every, old, new)))


def fresh_images(project_id: int, old: Settings, new: Settings) -> ImageScope:
    fresh = preview_settings(project_id=project_id, settings=new, begun_follow=False)
    stay = f"Begun images, {fresh.begun:,} now, stay with the settings that they have: nothing of theirs is closed."
    label = f"Only for images not yet begun, {fresh.fresh:,} now, and for images imported later"
    return ImageScope("fresh", label, [stay, *_of_images(project_id, fresh, old, new, chains=False)])


def _of_images(
    project_id: int, preview: SettingsPreview, old: Settings, new: Settings, *, chains: bool = True
) -> Iterator[str]:
    effect, about = preview.effect, "" if preview.exact else "about "

    def number(count: int) -> str:
        return f"{about if count else ''}{preview.scaled(count):,}"

    if not preview.exact:
        yield f"Estimated from a sample of {preview.looked_at:,} of {preview.follow:,} images."
    if effect.closed_links or effect.opened_links or compose(old).links.digest != compose(new).links.digest:
        closes = f"Closes {number(effect.closed_links)} of {number(effect.open_links)} open link questions"
        opens = f" and opens {number(effect.opened_links)} others" if effect.opened_links else ""
        yield f"{closes}{opens}, as each image gets its next answer."
    if effect.links_on_loan:
        kept = number(effect.links_on_loan)
        yield f"Open link questions with workers or answered just now, {kept}, stay open until their answers count."
    if effect.votes:
        yield _of_votes(number(effect.votes), number(effect.unread_votes) if effect.unread_votes else "", new)
    if effect.placed_chains:
        yield f"Chains whose linking ends with the answers that they have: {number(effect.placed_chains)}."
    if effect.met_tallies:
        met = "Chains that have votes enough, so that their question closes with its next answer"
        yield f"{met}: {number(effect.met_tallies)}."
    if chains:
        yield from _of_chains(project_id, old, new)


def _of_votes(votes: str, unread: str, new: Settings) -> str:
    if not unread:
        return f"Answers given to links that are not settled yet, {votes}, all count."
    reads = f"“{new.strategy.value}” reads one answer for each pair"
    return f"Of the answers given to links that are not settled yet, {votes}, {unread} will not count: {reads}."


def _of_chains(project_id: int, old: Settings, new: Settings) -> Iterator[str]:
    names = _changed(old, new)
    chains = Chain.objects.filter(image__project_id=project_id)
    if names.intersection(WHEN_PLACED):
        linking = chains.filter(state=ChainState.LINKING.value).count()
        yield f"Chains still being linked, {linking:,} now, meet the new settings when that ends; the others stay."
    if "box_policy" in names:
        boxing = chains.filter(state__in=[state.value for state in BOXING]).count()
        yield (
            f"Chains in the box tasks, {boxing:,} now, keep their open question and follow “{new.box_policy.value}” "
            "from its answer on: the answers given so far count."
        )
    if names.intersection(WEIGHED_ANEW[new.box_policy]):
        yield "Chains in the box tasks are weighed anew with their next answer; finished chains stay finished."
    if "programs_alone" in names:
        yield _of_programs_alone(new)
    if "fruitless_drawings" in names:
        drawing = chains.filter(state__in=[ChainState.DRAWING.value, ChainState.QUALITY.value]).count()
        yield f"For chains being drawn, {drawing:,} now, the new limit counts from their next answer on."
    if names.intersection(WHEN_MERGED):
        yield "Boxes that are merged already stay merged; images merge by the new rule when they are finished."


def _of_programs_alone(new: Settings) -> str:
    if not new.programs_alone:
        return "No chain is finished any more without a person's answer about its boxes; finished chains stay finished."
    begins = (
        "from now on"
        if engine_of(new).box_rules.programs_alone
        else f"once {MIN_AUDITED_CHAINS} chains show that programs can be believed"
    )
    return f"Programs finish chains whose boxes nobody has looked at, {begins}: what they all get wrong, nobody sees."


def of_work(project_id: int, old: Settings, new: Settings) -> list[str]:
    """Return what happens to assignments, workers and money."""
    return [*_of_leases(project_id, old, new), *_of_workers(project_id, old, new), *_of_money(project_id, old, new)]


def _changed(old: Settings, new: Settings) -> set[str]:
    before, after = old.to_json(), new.to_json()
    return {name for name in before if before[name] != after[name]}


def _of_leases(project_id: int, old: Settings, new: Settings) -> Iterator[str]:
    if _changed(old, new).intersection(OF_A_LEASE):
        active = Assignment.objects.filter(project_id=project_id, state=Assignment.State.ACTIVE).count()
        yield f"Assignments that workers have, {active:,} now, keep their questions and their reward."


def _of_workers(project_id: int, old: Settings, new: Settings) -> Iterator[str]:
    names = _changed(old, new)
    statuses = TrustStatus.objects.filter(project_id=project_id)
    if names.intersection(OF_TRUST):
        tasks = [
            task for task in new.minimum if old.minimum[task] != new.minimum[task] or old.trust[task] != new.trust[task]
        ]
        own = statuses.filter(task__in=tasks) if names <= {"trust", "minimum"} else statuses
        counts = [own.filter(state=state.value).count() for state in (TrustState.TRUSTED, TrustState.PROBATION)]
        yield (
            f"Workers who are trusted ({counts[0]:,}) or on probation ({counts[1]:,}) in the tasks concerned "
            "are judged by the new values from their next review on."
        )
    if "test_questions" in names:
        yield "Tests that workers have begun keep their questions; the new number counts for later ones."
    if "dictionaries" in names:
        yield "Images that are imported already keep the types of their phrases."


def _of_money(project_id: int, old: MoneySettings, new: MoneySettings) -> Iterator[str]:
    if old.currency != new.currency:
        before, after = money(100, old.currency), money(100, new.currency)
        yield f"Amounts are not converted: {before} earned so far then reads {after}."
    if new.spend_cap_cents and old.spend_cap_cents != new.spend_cap_cents:
        spent = committed(project_id)
        left = new.spend_cap_cents - spent
        rest = f"{money(left, new.currency)} are left" if left > 0 else "nothing more is given to workers"
        yield f"{money(spent, new.currency)} of the budget are earned or promised already: {rest}."
    if new.answer_cap and old.answer_cap != new.answer_cap:
        asked = answers_of_people(project_id)
        left = new.answer_cap - asked
        rest = f"{left:,} are left" if left > 0 else "nothing more is given to workers"
        yield f"{asked:,} answers of the budget are given or asked for already: {rest}."
