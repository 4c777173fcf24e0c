"""Images to which anything is done, under settings of all kinds: legal after each entry, and finished in the end.

`CHAINBOX_WALKS=2800` tries more walks than usual, `CHAINBOX_WALKS=5000:7800` those with these numbers.
"""

import os
from collections import defaultdict

from pipeline.rules.entries.expert_acts import ACTIONS
from pipeline.rules.entries.image_machine import EntryKind
from pipeline.rules.tasks.flow import REVIEW_TRANSITIONS, TABLES
from tests.support.image_acts import EVERY_ANSWER
from tests.support.setting_values import VALUES, paired
from tests.support.walks import Walk, name_of_answer, place_of, shrunk, walk

USUAL = "140"
MOST_SHRUNK = 5
"""At so many places a failing walk is shrunk, which can take seconds."""
TO_BE_SEEN = {
    *(("entry", kind) for kind in EntryKind if kind is not EntryKind.IMPORT),
    *(("expert", action) for action in ACTIONS),
    *(("answer", task, name_of_answer(answer)) for task, answers in EVERY_ANSWER.items() for answer in answers),
    *(("step", old, new) for table in (*TABLES.values(), REVIEW_TRANSITIONS) for (old, _), new in table.items()),
}


def test_whatever_is_done_an_image_is_legal_and_is_what_its_record_makes_and_ends() -> None:
    first, _, end = os.environ.get("CHAINBOX_WALKS", USUAL).rpartition(":")
    rows, seen, read = paired(VALUES), set[tuple[str, ...]](), set[str]()
    failed: dict[str, list[Walk]] = defaultdict(list)
    for number in range(int(first or 0), int(end)):
        one = walk(number, rows)
        try:
            seen |= one.go(read).seen
        except Exception as error:
            failed[place_of(error)].append(one)
    report = [f"{len(walks)} walks fail at {place}" for place, walks in failed.items()]
    report += [f"{place}\n{shrunk(walks[0], place)}" for place, walks in [*failed.items()][:MOST_SHRUNK]]
    assert not failed, "\n\n".join(report)
    assert sorted(TO_BE_SEEN - seen) == [], "never seen"
    assert read == VALUES.keys(), "give each setting that folding reads the values that make a difference"
