"""Singulars [paper 3.1.1]: the forms under which a dictionary may list a noun that can be a plural."""

IRREGULAR = {
    "men": "man",
    "women": "woman",
    "children": "child",
    "people": "person",
    "persons": "person",
    "feet": "foot",
    "teeth": "tooth",
    "geese": "goose",
    "mice": "mouse",
    "lice": "louse",
    "oxen": "ox",
    "dice": "die",
    "calves": "calf",
    "halves": "half",
    "hooves": "hoof",
    "knives": "knife",
    "leaves": "leaf",
    "lives": "life",
    "loaves": "loaf",
    "scarves": "scarf",
    "shelves": "shelf",
    "thieves": "thief",
    "wharves": "wharf",
    "wives": "wife",
    "wolves": "wolf",
    "elves": "elf",
    "dwarves": "dwarf",
    "movies": "movie",
    "selfies": "selfie",
    "ties": "tie",
    "pies": "pie",
    "cacti": "cactus",
    "octopi": "octopus",
    "alumni": "alumnus",
    "paparazzi": "paparazzo",
    "passersby": "passerby",
    "buses": "bus",
    "gases": "gas",
    "pianos": "piano",
}
IRREGULAR_ENDINGS = ("children", "women", "men", "people", "feet", "teeth", "wives", "knives", "lives", "mice")


def singulars(word: str) -> tuple[str, ...]:
    """Return the word itself, then the words that it may be the plural of, likeliest first. Expects lower case."""
    forms = [word]
    if word in IRREGULAR:
        forms.append(IRREGULAR[word])
    forms += [word[: -len(end)] + IRREGULAR[end] for end in IRREGULAR_ENDINGS if word.endswith(end)]
    return tuple(dict.fromkeys(forms + _by_suffix(word)))


def _by_suffix(word: str) -> list[str]:
    if len(word) < 4 or not word.endswith("s") or word.endswith("ss"):
        return []
    if word.endswith("ies"):
        return [word[:-3] + "y", word[:-1]]
    if word.endswith(("ches", "shes", "sses", "xes", "zes", "oes")):
        return [word[:-2], word[:-1]]
    return [word[:-1], word[:-2]] if word.endswith("ses") else [word[:-1]]
