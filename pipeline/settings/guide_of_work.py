"""Guide of work [paper 3.3]: the settings by which work is leased, judged, paid and shown."""

from functools import partial

from pipeline.settings.setting import Choice, Kind, Section, Setting, for_each_task
from workers.preferences import DrawBy
from workers.rules.score import Rule
from workers.rules.trust import TrustModel

TRUST_MODELS = (
    Choice(TrustModel.TRUSTED.value, "Workers prove themselves once, then get few verification questions."),
    Choice(TrustModel.VERIFICATION.value, "Every batch is judged by its own verification questions, for everybody."),
)
RULES = (
    Choice(Rule.INTERVAL.value, "Below by more than chance explains: the score's 95 % interval ends under it."),
    Choice(Rule.BARE.value, "The share of right answers is smaller, however few answers there are."),
)
GESTURES = (
    Choice(DrawBy.DRAG.value, "Press at one corner, release at the opposite one."),
    Choice(DrawBy.TWO_CLICKS.value, "Click at one corner, then at the opposite one."),
    Choice(DrawBy.EXTREME_POINTS.value, "Click at the topmost, bottommost, leftmost and rightmost points."),
)
_trust = partial(Setting, section=Section.TRUST)
_money = partial(Setting, section=Section.MONEY)
_assignments = partial(Setting, section=Section.ASSIGNMENTS)
_pages = partial(Setting, section=Section.PAGES)
_words = partial(Setting, section=Section.WORDS)
TRUST = (
    _trust(
        "trust",
        "Quality control",
        "Decides whether workers earn trust once or every batch is judged.",
        kind=Kind.CHOICE,
        paper_words="both: verification at first, trusted workers once that failed for the box tasks",
        choices=TRUST_MODELS,
        per_task=True,
    ),
    _trust(
        "minimum",
        "Minimum performance",
        "Workers must get this share of the verification questions right.",
        kind=Kind.PERCENT,
        paper=for_each_task(0.80, 0.83, 0.83, 0.70, 0.78, 0.80),
        per_task=True,
    ),
    _trust(
        "below_minimum",
        "Meaning of “below the minimum”",
        "Decides when a trusted worker's score costs their trust.",
        kind=Kind.CHOICE,
        paper=Rule.BARE.value,
        choices=RULES,
    ),
    _trust(
        "probation",
        "Probation",
        "New workers answer this many verification questions before they are trusted.",
        unit="questions",
        paper=30,
    ),
    _trust(
        "probation_most",
        "Longest probation",
        "Probation goes on to this many questions while a worker's score is neither good nor clearly bad.",
        unit="questions",
    ),
    _trust(
        "trusted_rate",
        "Verification questions for trusted workers",
        "This share of a trusted worker's questions has a known answer.",
        kind=Kind.PERCENT,
        paper=0.02,
    ),
    _trust(
        "verification_rate",
        "Verification questions in the verification model",
        "This share of everybody's questions has a known answer.",
        kind=Kind.PERCENT,
        paper=0.2,
    ),
    _trust(
        "test_questions",
        "Questions of the qualification test",
        "New workers first pass a test of this many questions; 0 means no test.",
        unit="questions",
        paper_words="a test for each task, of no stated length",
    ),
    _trust(
        "tests",
        "Tries at the test",
        "A worker may take the qualification test this many times.",
        unit="times",
    ),
    _trust(
        "test_wait_hours",
        "Wait after a failed test",
        "A worker who failed the test may take it again after this time.",
        unit="hours",
    ),
    _trust(
        "guests_trusted",
        "Guests need no test",
        "Visitors who try the work without an account skip test and probation, as in the demo.",
        kind=Kind.FLAG,
    ),
)
MONEY = (
    _money(
        "reward_cents",
        "Reward of a full assignment",
        "Workers earn this for a full assignment, and their share of it for a smaller one.",
        unit="cents",
        per_task=True,
    ),
    _money(
        "currency",
        "Currency",
        "Names the currency whose hundredths are the cents of this page.",
        kind=Kind.TEXT,
        unit="three capital letters, such as USD",
    ),
    _money(
        "spend_cap_cents",
        "Budget",
        "Nothing more is given to workers once this is spent; 0 means no limit.",
        unit="cents",
    ),
    _money(
        "answer_cap",
        "Budget in answers",
        "Nothing more is given to workers once they have given this many answers; 0 means no limit.",
        unit="answers",
    ),
    _money(
        "program_cost_cents",
        "Cost of programs",
        "Models holds what 1,000 answers of each program cost against what they saved; set it there.",
        kind=Kind.COSTS,
    ),
)
ASSIGNMENTS = (
    _assignments(
        "batch",
        "Questions per assignment",
        "Workers get this many questions at once.",
        unit="questions",
        paper=for_each_task(10, 5, 10, 5, 10, 10),
        per_task=True,
    ),
    _assignments(
        "lease_minutes",
        "Time for an assignment",
        "An assignment without any work on it goes back after this time.",
        unit="minutes",
    ),
    _assignments(
        "lease_most_minutes",
        "Longest time for an assignment",
        "An assignment goes back after this time even while somebody works on it.",
        unit="minutes",
    ),
)
PAGES = (
    _pages(
        "draw_by",
        "Way of drawing",
        "Decides how boxes are drawn, unless a worker chooses another way.",
        kind=Kind.CHOICE,
        paper=DrawBy.DRAG.value,
        choices=GESTURES,
    ),
    _pages(
        "caption_language",
        "Language of the captions",
        "Tells browsers which letter shapes, and screen readers which voice, the captions need.",
        kind=Kind.TEXT,
        unit="a tag such as en, ar or pt-BR; empty: unknown",
    ),
)
WORDS = (
    _words(
        "pronouns",
        "Pronouns are phrases",
        "Keeps “she”, “they”, “it” and the like as phrases of the type pronoun, in images imported from now on.",
        kind=Kind.FLAG,
    ),
    _words(
        "dictionaries",
        "Edits of the word lists",
        "Gives phrases of images imported from now on other types: words added to a list, or taken out of it.",
        kind=Kind.EDITS,
        paper_words="word lists made by hand",
    ),
)
OF_WORK = (*TRUST, *MONEY, *ASSIGNMENTS, *PAGES, *WORDS)
