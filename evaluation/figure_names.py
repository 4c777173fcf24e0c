"""Names of figures: the words that stand in tables of a paper for the keys of report.json."""

WORDS = {
    "upper_bound": "people against each other",
    "boxes_per_description": "boxes of a description",
    "sd": "standard deviation",
    "se": "standard error",
    "low": "low end, 95 %",
    "high": "high end, 95 %",
    "human_majority": "people, majority",
    "human_unanimity": "people, unanimity",
    "t1": "task 1",
    "t2": "task 2",
    "t3": "task 3",
    "overall": "overall",
    "correct": "right captions",
    "foil": "foils",
    "all": "all foils",
    "nouns": "among nouns",
    "words": "among all words",
    "called_wrong": "foils called wrong",
    "queries": "phrases with a box",
    "bodyparts": "body parts",
    "extent": "one box around all",
    "largest": "the largest box",
    "by_size": "all boxes by size",
    "no_singletons": "chains of several mentions",
    "common": "mentions of both sides",
    "in_both": "number of mentions of both sides",
    "bound": "any region right",
    "errors": "first boxes",
    "against": "the other model",
    "B3": "B³",
    "only_gold": "mentions of gold alone",
    "only_response": "mentions of the response alone",
    "majority_percent": "right by majority, %",
    "unanimous_percent": "right unanimously, %",
}


def figure_name(key: str) -> str:
    """Return a figure's name in words: "people against each other, P, standard deviation" for upper_bound.P.sd."""
    parts = key.split(".")
    found = [WORDS.get(part, part.replace("_", " ")) for part in parts]
    # A share such as 0.7 has a point of its own.
    return ", ".join(found) if not any(part.isdigit() for part in parts) else key.replace("_", " ")
