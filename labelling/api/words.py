"""What became of a submission, in words that a worker understands."""

from pipeline.asking.receipt import Receipt
from pipeline.models import Assignment

BEGIN = "Your time had run out,"


def receipt_in_words(receipt: Receipt) -> str:
    """Empty where all went as it should."""
    if receipt.assignment.verdict == Assignment.Verdict.REFUSED:
        return "This assignment is paid. Its answers are not used: the project's page says where you stand."
    late = len(receipt.too_late)
    if not late:
        return ""
    if not receipt.stored:
        return f"{BEGIN} and others have answered these questions meanwhile. Your work is paid all the same."
    answers = "answer" if late == 1 else "answers"
    return f"{BEGIN} and {late} {answers} came after those of others. The rest was still needed and is stored."
