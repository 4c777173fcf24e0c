"""Guide of images [paper 3.1.2, 3.2, 3.3.2]: the settings by which the answers about chains and boxes act."""

from functools import partial

from annotation.rules.mention_type import MentionType
from pipeline.policies.box_policy import BoxPolicy
from pipeline.settings.guide_of_links import LINKING
from pipeline.settings.setting import Choice, Kind, Section, Setting

POLICIES = (
    Choice(BoxPolicy.PAPER.value, "The answers of one task decide which comes next, always in the same way."),
    Choice(BoxPolicy.BELIEF.value, "What tells most for its time is asked, until the boxes are sure enough."),
)
T = MentionType


_verification = partial(Setting, section=Section.VERIFICATION, acts_on_images=True)
_boxes = partial(Setting, section=Section.BOXES, acts_on_images=True)
_merging = partial(Setting, section=Section.MERGING, acts_on_images=True)
_review = partial(Setting, section=Section.REVIEW, acts_on_images=True)
_surveys = partial(Setting, section=Section.SURVEYS, acts_on_images=True)
VERIFICATION = (
    _verification(
        "verify_below",
        "Verify chains less sure than",
        "Chains at least this sure go on unverified under the adaptive strategy; the other strategies verify them all.",
        kind=Kind.PERCENT,
        paper_words="every chain of several phrases is verified",
    ),
)
BOXES = (
    _boxes(
        "box_policy",
        "Order of the box tasks",
        "Decides which box task is asked next and when a chain is finished; a chain follows from its next answer on.",
        kind=Kind.CHOICE,
        paper=BoxPolicy.PAPER.value,
        choices=POLICIES,
    ),
    _boxes(
        "box_sure",
        "How sure to be of boxes",
        "Under belief, work goes on while 20 more seconds make right boxes likelier by the rest: at 90 %, by 10 %.",
        kind=Kind.PERCENT,
    ),
    _boxes(
        "box_prior",
        "Prior of the belief policy",
        "Weighs how many boxes phrases need, and how often workers err, before anybody answers.",
        kind=Kind.PRIOR,
    ),
    _boxes(
        "refit_boxes",
        "Learn boxes from own chains",
        "After 15 finished images (3 where programs judge), and whenever their number has doubled, a project that "
        "boxes by belief fits its prior and its trust in programs to its own chains: see Learned values.",
        kind=Kind.FLAG,
        acts_on_images=False,
    ),
    _boxes(
        "fuse_boxes",
        "One box of several drawings",
        "Under belief, all drawings of a thing make one box, less the margin that each worker usually leaves, which is "
        "learned from known drawings.",
        kind=Kind.FLAG,
    ),
    _boxes(
        "redraw_below",
        "Draw loose boxes again",
        "Another worker, who does not see it, draws a box once more if its expected IOU with the true one is below "
        "this; 0: none. Needs the setting above.",
        unit="IOU",
    ),
    _boxes(
        "drawn_at_once",
        "Types drawn at once",
        "Chains with a phrase of these types skip the question whether they need a box.",
        kind=Kind.TYPES,
        paper=(T.PEOPLE.value, T.CLOTHING.value, T.BODY_PARTS.value),
    ),
    _boxes(
        "no_box_votes",
        "Votes for no box",
        "A chain becomes non-visual with at least this many votes that outnumber the others.",
        unit="votes",
        paper=2,
    ),
    _boxes(
        "coverage_votes",
        "Votes for all boxes there",
        "A chain is complete once this many workers say that all its boxes are there.",
        unit="votes",
        paper=2,
    ),
    _boxes(
        "drawer_judges_coverage",
        "The drawer may judge coverage",
        "With fewer than six workers: who drew may also say that all boxes are there; exports mark it.",
        kind=Kind.FLAG,
    ),
    _boxes(
        "fruitless_drawings",
        "Drawings without a box",
        "A chain goes to review after this many drawings in a row that brought no accepted box.",
        unit="drawings",
    ),
    _boxes(
        "proposals",
        "Boxes and links of programs",
        "A box that a program predicts is judged for quality instead of being drawn; bad ones are drawn as usual. "
        "Chains that it predicts spare the adaptive strategy questions.",
        kind=Kind.FLAG,
    ),
    _boxes(
        "jurors",
        "Programs that judge",
        "These programs are asked before people, and their answers are evidence: about links under the adaptive "
        "strategy, about boxes under belief.",
        kind=Kind.WORKERS,
    ),
    _boxes(
        "juror_lot",
        "Share that people answer anyway",
        "People answer about the boxes of this share of the chains, and about the links of this share of the images, "
        "drawn by lot, whatever programs say: the programs' errors are learned from it. About all while a program is "
        "new, and about 20 % at least while programs' answers make the project too sure of itself.",
        kind=Kind.PERCENT,
    ),
    _boxes(
        "programs_alone",
        "Let programs finish chains alone",
        "Warning: if on, nobody may ever have looked at a finished chain's boxes. Programs finish a chain without a "
        "person's answer once 200 chains that people answered anyway show that what is said with programs' answers "
        "is as often right, and only as long as they show it. If off, a person answers about every chain.",
        kind=Kind.FLAG,
    ),
    _boxes(
        "families",
        "Families of programs",
        "Programs of one family, such as two fine-tunes of one model, count as one opinion until answers show that "
        "they err apart.",
        kind=Kind.FAMILIES,
    ),
    _boxes(
        "own_proposals_judged",
        "Programs judge their own boxes",
        "A program that judges may judge boxes that it, or one of its family, proposed. It is taken to be blind to "
        "their faults until answers show what it sees.",
        kind=Kind.FLAG,
    ),
    _boxes(
        "checked",
        "Data set to check",
        "This program stands for an imported data set. Its chains and boxes stay as they are unless somebody's answer "
        "speaks against them.",
        unit="number of a program",
    ),
    _boxes(
        "checked_trust",
        "Right chains of the data set",
        "The share of its chains that are taken to be right until answers tell.",
        kind=Kind.PERCENT,
    ),
    _boxes(
        "checked_lot",
        "Share of the data set that people check anyway",
        "People judge the boxes of this share of its chains, and more links of this share of its images, drawn by lot, "
        "so that the share of wrong ones is known. Where programs judge boxes, the share of chains that people answer "
        "anyway counts instead.",
        kind=Kind.PERCENT,
    ),
)
MERGING = (
    _merging(
        "merge_iou",
        "Overlap at which boxes merge",
        "Boxes of different chains become one if they overlap this much (IOU).",
        unit="IOU",
        paper=0.8,
    ),
    _merging(
        "merge_iou_other",
        "Overlap with type “other”",
        "The same for boxes of which one has the type other.",
        unit="IOU",
        paper=0.9,
    ),
    _merging(
        "mergeable_types",
        "Different types that may merge",
        "Boxes of different types become one only if their pair is chosen here.",
        kind=Kind.PAIRS,
        paper_words="no list: only that people and clothing may not merge",
    ),
)
REVIEW = (
    _review(
        "reports_to_review",
        "Reports that send to review",
        "A chain goes to an expert once this many workers have reported an error in it.",
        unit="workers",
    ),
    _review(
        "starved_hours",
        "Wait of a question nobody may answer",
        "A question that no worker may answer goes to an expert after this time.",
        unit="hours",
        acts_on_images=False,
    ),
)
SURVEYS = (
    _surveys(
        "survey_votes",
        "Votes on a survey's question",
        "A survey's question is asked to this many workers, and the majority decides.",
        unit="workers",
    ),
)
OF_IMAGES = (*LINKING, *VERIFICATION, *BOXES, *MERGING, *REVIEW, *SURVEYS)
