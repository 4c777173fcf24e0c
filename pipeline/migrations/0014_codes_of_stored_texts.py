import re
from datetime import UTC, datetime

from django.db import migrations
from django.db.models import Q

PAY = r"(?P<amount>.+?) for your assignment (?P<task>[a-z ]+) of (?P<time>\d+ \w{3} \d{4}, \d\d:\d\d UTC) is "
MESSAGES = {
    "PAY_REFUSED": PAY + r"refused: (?P<reason>.+)",
    "PAY_RESTORED": PAY + r"no longer refused, but owed to you: (?P<reason>.+)",
    "NOT_USED": r"Your answers in an assignment \((?P<task>[a-z ]+)\) are paid, but not used\. "
    r"The requester's reason: (?P<reason>.+)",
}
SEQUELS = {
    "PASSED": r"You passed\. The work is open to you now\.",
    "LAST_TRY": r"That was the last try\. You can appeal to the requester on your home page\.",
    "ONE_TRY_LEFT": r"You can take the test once more, in (?P<hours>\S+) hours at the earliest\.",
    "TRIES_LEFT": r"You can take the test (?P<left>\d+) more times, in (?P<hours>\S+) hours at the earliest\.",
    "DECIDED": r"The requester has decided about you without the test\.",
}


def find_codes(apps, schema_editor):
    """Find the codes and values of the service's own texts in their English. A person's words get none."""
    messages = apps.get_model("workers", "Message").objects
    about = Q(text__contains=" for your assignment ") | Q(text__contains=" are paid, but not used. ")
    found = [row for row in messages.filter(about) if coded(MESSAGES, row.text)]
    for row in found:
        row.coded = coded(MESSAGES, row.text)
    messages.bulk_update(found, ["coded"], batch_size=500)
    assignments = apps.get_model("pipeline", "Assignment").objects
    rows = list(assignments.filter(kind="test", state="submitted", receipt__isnull=False).only("receipt"))
    for row in rows:
        row.receipt["sequel"] = coded(SEQUELS, row.receipt.get("message") or "")
    assignments.bulk_update(rows, ["receipt"], batch_size=500)


def coded(sentences, text):
    """Return the code of the sentence that the text is, with its values as JSON; None: a person's words."""
    for code, sentence in sentences.items():
        if found := re.fullmatch(sentence, text, re.S):
            values = found.groupdict()
            if "task" in values:
                values["task"] = values["task"].replace(" ", "_")
            if "time" in values:
                at = datetime.strptime(values["time"], "%d %b %Y, %H:%M UTC").replace(tzinfo=UTC)
                values["time"] = at.isoformat()
            return {"code": code, **values}
    return None


class Migration(migrations.Migration):
    dependencies = [("pipeline", "0013_verification_behind_real"), ("workers", "0006_coded_messages")]

    # while running: it fills what the version that still runs does not read, for messages about refused pay and receipts
    # of tests, of which there are few. The English stays.
    operations = [migrations.RunPython(find_codes, migrations.RunPython.noop, elidable=True)]
