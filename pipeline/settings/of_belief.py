"""Settings of belief [beyond paper 3]: what the adaptive strategy, boxes by belief, programs and checks read."""

from enum import StrEnum
from typing import Annotated

from pydantic.dataclasses import dataclass

from pipeline.protocol.links.strategies import Strategy
from pipeline.protocol.settings import CHECKED, FROM_JSON, Count, Flag, SettingChoice, Share, setting
from pipeline.settings.ranges import (
    Bits,
    FamilyNames,
    ShareOrNone,
    SmallShare,
    Sureness,
    WorkerNumbers,
    WorkerOrNone,
)


class LinkStrategy(StrEnum):
    """The way of choosing links to ask: a strategy of the paper, or the belief in which phrases corefer."""

    EXHAUSTIVE = Strategy.EXHAUSTIVE.value
    GREEDY = Strategy.GREEDY.value
    EXHAUSTIVE_PLUS = Strategy.EXHAUSTIVE_PLUS.value
    GREEDY_PLUS = Strategy.GREEDY_PLUS.value
    ADAPTIVE = "adaptive"


class BoxPolicyName(StrEnum):
    """The way of choosing the next box task."""

    PAPER = "paper"
    BELIEF = "belief"


LINK_STRATEGIES = (
    SettingChoice(
        LinkStrategy.EXHAUSTIVE.value, "Every pair of phrases that can corefer is asked once: accurate and expensive."
    ),
    SettingChoice(
        LinkStrategy.GREEDY.value, "Each phrase is compared with one phrase of each chain so far: far fewer questions."
    ),
    SettingChoice(
        LinkStrategy.EXHAUSTIVE_PLUS.value, "As exhaustive; links that contradict each other are asked again."
    ),
    SettingChoice(LinkStrategy.GREEDY_PLUS.value, "As greedy; links that contradict each other are asked again."),
    SettingChoice(LinkStrategy.ADAPTIVE.value, "The link that tells most is asked, until no answer would tell enough."),
)
BOX_POLICIES = (
    SettingChoice(
        BoxPolicyName.PAPER.value, "The answers of one task decide which comes next, always in the same way."
    ),
    SettingChoice(
        BoxPolicyName.BELIEF.value, "What tells most for its time is asked, until the boxes are sure enough."
    ),
)


@dataclass(frozen=True, config=CHECKED)
class StrategySettings:
    """Setting of what decides the links that are asked [paper 3.1.1]."""

    strategy: Annotated[LinkStrategy, FROM_JSON] = setting(
        LinkStrategy.GREEDY_PLUS,
        "Link strategy",
        "Decides which pairs of phrases workers compare, and so most of the cost of linking.",
        paper=LinkStrategy.GREEDY_PLUS.value,
        choices=LINK_STRATEGIES,
        common=1,
    )


@dataclass(frozen=True, config=CHECKED)
class AdaptiveSettings:
    """Settings of the adaptive strategy, and of when it learns."""

    link_stop: Bits = setting(
        0.1,
        "Least that an answer must tell",
        "The adaptive strategy asks only what it expects to learn this much from: less means more questions.",
        unit="bits",
    )
    link_most: Count = setting(
        15,
        "Most answers to an adaptive link",
        "After this many answers to one link the adaptive strategy leaves the chain to an expert.",
        unit="answers",
    )
    most_informative_first: Flag = setting(
        True,
        "Links that tell most first",
        "Workers get the adaptive links whose answers tell most, so that money that ends early buys most.",
    )
    reask_rate: SmallShare = setting(
        0.01,
        "Links asked at random",
        "The adaptive strategy asks links at random, this share of its answers, to check how sure it may be.",
    )
    beyond_rules: Flag = setting(
        False,
        "Links beyond the two rules",
        "The adaptive strategy also asks about chains with phrases of one caption, or of different types, where "
        "they are likely to be one thing.",
    )
    sweeps: Flag = setting(
        False,
        "Sweeps",
        "The adaptive strategy may show one phrase with up to twelve others, of which workers touch all that mean the "
        "same, where that tells more a second than two phrases do. Not with answers about parts, or model annotators.",
    )
    sweep_presets: Flag = setting(
        False,
        "Sweeps begin with what is likely",
        "What is already likely to mean the same is touched when a worker sees a sweep. Quicker, and never so in "
        "tests; but workers may leave what is wrong.",
    )
    part_answers: Flag = setting(
        False,
        "Answers about parts",
        "Workers may say that what one phrase means is part of what the other means, as “one of them” of “three "
        "men”. For chains this counts as “not the same”; exports tell which.",
    )
    refit_links: Flag = setting(
        True,
        "Learn links from own answers",
        "After 15 images (3 where programs judge), and whenever their number has doubled, a project that links "
        "adaptively fits prior and errors to its own answers: see Learned values.",
        acts_on_images=False,
    )


@dataclass(frozen=True, config=CHECKED)
class VerificationSettings:
    """Settings of the chains that chain verification asks about [beyond paper 3.1.2]."""

    verify_below: Share = setting(
        0.95,
        "Verify chains less sure than",
        "Chains at least this sure go on unverified under the adaptive strategy; the other strategies verify them all.",
        paper_words="every chain of several phrases is verified",
    )


@dataclass(frozen=True, config=CHECKED)
class BeliefSettings:
    """Settings of boxes by belief."""

    box_policy: Annotated[BoxPolicyName, FROM_JSON] = setting(
        BoxPolicyName.PAPER,
        "Order of the box tasks",
        "Decides which box task is asked next and when a chain is finished; a chain follows from its next answer on.",
        paper=BoxPolicyName.PAPER.value,
        choices=BOX_POLICIES,
        common=2,
    )
    box_sure: Sureness = setting(
        0.9,
        "How sure to be of boxes",
        "Under belief, work goes on while 20 more seconds make right boxes likelier by the rest: at 90 %, by 10 %.",
    )
    refit_boxes: Flag = setting(
        True,
        "Learn boxes from own chains",
        "After 15 finished images (3 where programs judge), and whenever their number has doubled, a project that "
        "boxes by belief fits its prior and its trust in programs to its own chains: see Learned values.",
        acts_on_images=False,
    )
    fuse_boxes: Flag = setting(
        False,
        "One box of several drawings",
        "Under belief, all drawings of a thing make one box, less the margin that each worker usually leaves, "
        "which is learned from known drawings.",
    )
    redraw_below: ShareOrNone = setting(
        0.0,
        "Draw loose boxes again",
        "Another worker, who does not see it, draws a box once more if its expected IOU with the true one is below "
        "this; 0: none. Needs the setting above.",
        unit="IOU",
    )


@dataclass(frozen=True, config=CHECKED)
class ModelSettings:
    """Settings of the model annotators."""

    model_annotators: WorkerNumbers = setting(
        (),
        "Model annotators",
        "These programs are asked before people, and their answers are evidence: about links under the adaptive "
        "strategy, about boxes under belief.",
    )
    audit_rate: SmallShare = setting(
        0.03,
        "Share that people answer anyway",
        "People answer about the boxes of this share of the chains, and about the links of this share of the "
        "images, drawn at random, whatever models say: the models' errors are learned from it. About all while a "
        "model is new, and about 20 % at least while models' answers make the project too sure of itself.",
    )
    programs_alone: Flag = setting(
        False,
        "Let programs finish chains alone",
        "Warning: if on, nobody may ever have looked at a finished chain's boxes. Programs finish a chain without "
        "a person's answer once 200 chains that people answered anyway show that what is said with programs' "
        "answers is as often right, and only as long as they show it. If off, a person answers about every chain.",
    )
    model_families: FamilyNames = setting(
        {},
        "Families of programs",
        "Programs of one family, such as two fine-tunes of one model, count as one opinion until answers show that "
        "they err apart.",
    )
    own_pre_annotations_judged: Flag = setting(
        False,
        "Programs judge their own boxes",
        "A model annotator may judge boxes that it, or one of its family, proposed. It is taken to be blind to "
        "their faults until answers show what it sees.",
    )


@dataclass(frozen=True, config=CHECKED)
class ReferenceSettings:
    """Settings of a data set that is being checked."""

    reference_set: WorkerOrNone = setting(
        0,
        "Data set to check",
        "This program stands for an imported data set. Its chains and boxes stay as they are unless somebody's "
        "answer speaks against them.",
        unit="number of a program",
    )
    reference_trust: Sureness = setting(
        0.95, "Right chains of the data set", "The share of its chains that are taken to be right until answers tell."
    )
    check_audit_rate: SmallShare = setting(
        0.0,
        "Share of the data set that people check anyway",
        "People judge the boxes of this share of its chains, and more links of this share of its images, drawn by "
        "lot, so that the share of wrong ones is known. Where programs judge boxes, the share of chains that "
        "people answer anyway counts instead.",
    )
