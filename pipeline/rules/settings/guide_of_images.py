"""Guide of images [paper 3.1, 3.2, 3.3.2]: the settings by which the answers about an image act."""

from functools import partial

from annotation.rules.mention_type import MentionType
from pipeline.rules.linking.link_strategy import Strategy
from pipeline.rules.settings.setting import Choice, Kind, Section, Setting
from pipeline.rules.tasks.box_policy import BoxPolicy

STRATEGIES = (
    Choice(Strategy.EXHAUSTIVE.value, "Every pair of phrases that can corefer is asked once: accurate and expensive."),
    Choice(Strategy.GREEDY.value, "Each phrase is compared with one phrase of each chain so far: far fewer questions."),
    Choice(Strategy.EXHAUSTIVE_PLUS.value, "As exhaustive; links that contradict each other are asked again."),
    Choice(Strategy.GREEDY_PLUS.value, "As greedy; links that contradict each other are asked again."),
    Choice(Strategy.ADAPTIVE.value, "The link that tells most is asked, until no answer would tell enough."),
)
POLICIES = (
    Choice(BoxPolicy.PAPER.value, "The answers of one task decide which comes next, always in the same way."),
    Choice(BoxPolicy.BELIEF.value, "What tells most for its time is asked, until the boxes are sure enough."),
)
T = MentionType


_linking = partial(Setting, section=Section.LINKING, acts_on_images=True)
_verification = partial(Setting, section=Section.VERIFICATION, acts_on_images=True)
_boxes = partial(Setting, section=Section.BOXES, acts_on_images=True)
_merging = partial(Setting, section=Section.MERGING, acts_on_images=True)
_review = partial(Setting, section=Section.REVIEW, acts_on_images=True)
_surveys = partial(Setting, section=Section.SURVEYS, acts_on_images=True)
LINKING = (
    _linking(
        "strategy",
        "Link strategy",
        "Decides which pairs of phrases workers compare, and so most of the cost of linking.",
        kind=Kind.CHOICE,
        paper=Strategy.GREEDY_PLUS.value,
        choices=STRATEGIES,
    ),
    _linking(
        "consensus_lead",
        "Lead that settles a contradiction",
        "A link that contradicts others is asked again until one answer leads by this many.",
        unit="answers",
        paper_words="no number: asked “until we got a consensus”",
    ),
    _linking(
        "consensus_most",
        "Most answers to a contradicting link",
        "A link that contradicts others is asked no more after this many answers.",
        unit="answers",
    ),
    _linking(
        "link_stop",
        "Least that an answer must tell",
        "The adaptive strategy asks only what it expects to learn this much from: less means more questions.",
        unit="bits",
    ),
    _linking(
        "link_most",
        "Most answers to an adaptive link",
        "After this many answers to one link the adaptive strategy leaves the chain to an expert.",
        unit="answers",
    ),
    _linking(
        "link_prior",
        "Prior of the adaptive strategy",
        "Weighs how likely phrases corefer before anybody answers; the command fit_link_prior fits it.",
        kind=Kind.PRIOR,
    ),
    _linking(
        "telling_first",
        "Links that tell most first",
        "Workers get the adaptive links whose answers tell most, so that money that ends early buys most.",
        kind=Kind.FLAG,
    ),
    _linking(
        "reask_share",
        "Links asked by lot",
        "The adaptive strategy asks links by lot, this share of its answers, to check how sure it may be.",
        kind=Kind.PERCENT,
    ),
    _linking(
        "link_errors",
        "Errors of the crowd in links",
        "The adaptive strategy asks less or more, the less or more often answers are expected to be wrong.",
        kind=Kind.ERRORS,
    ),
    _linking(
        "program_errors",
        "Errors of programs in links",
        "The adaptive strategy trusts the chains of a program less, the more of its links are wrong.",
        kind=Kind.PROGRAMS,
    ),
    _linking(
        "refit_links",
        "Learn links from own answers",
        "After 15 images (3 where programs judge), and whenever their number has doubled, a project that links "
        "adaptively fits prior and errors to its own answers: see Learned values.",
        kind=Kind.FLAG,
        acts_on_images=False,
    ),
)
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
