"""Guide of links [paper 3.1.1]: the settings by which links are asked."""

from functools import partial

from pipeline.protocol.links.strategies import Strategy
from pipeline.settings.setting import Choice, Kind, Section, Setting

STRATEGIES = (
    Choice(Strategy.EXHAUSTIVE.value, "Every pair of phrases that can corefer is asked once: accurate and expensive."),
    Choice(Strategy.GREEDY.value, "Each phrase is compared with one phrase of each chain so far: far fewer questions."),
    Choice(Strategy.EXHAUSTIVE_PLUS.value, "As exhaustive; links that contradict each other are asked again."),
    Choice(Strategy.GREEDY_PLUS.value, "As greedy; links that contradict each other are asked again."),
    Choice(Strategy.ADAPTIVE.value, "The link that tells most is asked, until no answer would tell enough."),
)
_linking = partial(Setting, section=Section.LINKING, acts_on_images=True)
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
        "beyond_rules",
        "Links beyond the two rules",
        "The adaptive strategy also asks about chains with phrases of one caption, or of different types, where they "
        "are likely to be one thing.",
        kind=Kind.FLAG,
    ),
    _linking(
        "part_answers",
        "Answers about parts",
        "Workers may say that what one phrase means is part of what the other means, as “one of them” of “three men”. "
        "For chains this counts as “not the same”; exports tell which.",
        kind=Kind.FLAG,
        acts_on_images=False,
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
