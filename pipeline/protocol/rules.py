"""Rules and context [paper 3]: what one entry of a record acts under.

Rules are a version of the settings, and the policies that decide what is asked. The context is facts of the moment in
which the entry is made: no rule can know them, so the record keeps them.
"""

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, NamedTuple, Self

from pipeline.protocol.boxes.policy import BoxPolicy
from pipeline.protocol.links.policy import LinkPolicy
from pipeline.protocol.settings import ProtocolSettings
from pipeline.protocol.tasks.task import BOX_TASKS, Task

SKILL_DIGITS = 3

SkillOf = Callable[[float, int], float]
"""Return a worker's skill by the share of right answers, 0 to 1, among so many that were checked."""


class EntryContext(NamedTuple):
    """Facts of the moment in which an entry was made. Values that equal these defaults are not stored."""

    skill: float = 0.0
    """Of the worker who answered: the logit of the worker's error less that of the crowd. 0: as the crowd."""
    by_model: bool = False
    """A model answered, and its answer would count as a person's does."""
    seed: int = 0
    """Of the entry that starts linking: the seed by which chains and links are drawn for an audit."""
    inactive: tuple[int, ...] = ()
    """The models that were not at work: no question waits for them."""
    on_loan: tuple[int, ...] = ()
    """Numbers of open questions that were leased or answered, where links are planned anew or a box is shown."""

    def to_json(self) -> dict[str, Any] | None:
        """Return the values that are not the usual ones; None: there are none."""
        usual = zip(self._fields, self, NO_CONTEXT, strict=True)
        return {name: value for name, value, default in usual if value != default} or None

    @classmethod
    def from_json(cls, stored: Mapping[str, Any] | None) -> Self:
        values: Any = {
            name: tuple(value) if isinstance(value, list) else value for name, value in (stored or {}).items()
        }
        return cls(**values)


NO_CONTEXT = EntryContext()


class Needs(NamedTuple):
    """Facts of the moment that rules read. Nothing else is looked up, and the paper's rules read none."""

    skill: Mapping[Task, SkillOf] = MappingProxyType({})
    """The tasks whose answers are weighed by who gave them."""
    seed: bool = False
    """Whether chains or links are drawn for an audit."""
    inactive: tuple[int, ...] = ()
    """The models that are asked before people."""


NO_NEEDS = Needs()


def context_of(
    needs: Needs,
    *,
    task: Task | None = None,
    by_model: bool = False,
    checked: tuple[float, int] | None = None,
    seed: int = 0,
    inactive: Collection[int] = (),
    on_loan: Collection[int] = (),
) -> EntryContext:
    """Return as much of the given facts as is needed.

    `task`, `by_model`, `checked`: of an answer; which task it answers, whether a model gave it, and the worker's share
    of right answers, 0 to 1, with the number of checked ones. None: nothing of the worker was checked.
    """
    skill_of = needs.skill.get(task) if task is not None else None
    return EntryContext(
        # An estimate changes, so the skill that was used is kept. The sum makes -0.0 what is read back, 0.0.
        skill=round(skill_of(*checked), SKILL_DIGITS) + 0.0 if skill_of and checked else 0.0,
        by_model=by_model and skill_of is not None,
        seed=seed if needs.seed else 0,
        inactive=tuple(sorted(set(inactive).intersection(needs.inactive))),
        on_loan=tuple(on_loan),
    )


@dataclass(frozen=True, slots=True)
class Rules:
    """A policy decides; only the machine acts."""

    settings: ProtocolSettings
    links: LinkPolicy
    boxes: BoxPolicy
    needs: Needs = NO_NEEDS

    def sets_aside(self, worker: int, task: Task) -> bool:
        """Return whether a program's answer to the task changes nothing."""
        if task in BOX_TASKS:
            return self.boxes.sets_aside(worker, task)
        return task is Task.COREFERENCE_LINK and self.links.sets_aside(worker)
