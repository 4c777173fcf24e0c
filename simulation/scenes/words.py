"""Words for people and their clothes in captions."""

from simulation.scenes.look import Garment, Look

PEOPLE = {
    "man": ("man", "man", "guy", "young man", "gentleman"),
    "woman": ("woman", "woman", "lady", "young woman"),
    "boy": ("boy", "young boy", "little boy", "child", "kid"),
    "girl": ("girl", "young girl", "little girl", "child", "kid"),
}
GROUPS = {
    "man": ("two men", "two guys", "two people"),
    "woman": ("two women", "two ladies", "two people"),
    "boy": ("two boys", "two young boys", "two kids", "two children"),
    "girl": ("two girls", "two little girls", "two kids", "two children"),
}
GARMENTS = {
    "shirt": ("{} shirt", "{} button-up shirt", "shirt"),
    "t-shirt": ("{} t-shirt", "{} shirt", "t-shirt"),
    "sweater": ("striped {} sweater", "{} sweater", "sweater"),
    "jacket": ("{} jacket", "{} suit", "jacket"),
    "coat": ("{} coat", "long {} coat", "coat"),
    "dress": ("{} dress", "long {} dress", "dress"),
    "hat": ("{} hat", "hat", "wide {} hat"),
    "cap": ("{} cap", "{} baseball cap", "cap"),
    "beanie": ("{} beanie", "woolly {} hat", "{} knit cap"),
    "helmet": ("{} helmet", "helmet", "bright {} helmet"),
    "headscarf": ("{} headscarf", "headscarf"),
    "veil": ("{} veil", "long {} veil", "veil"),
    "scarf": ("{} scarf", "scarf"),
    "apron": ("{} apron", "apron"),
    "trousers": ("+{} trousers", "+{} pants"),
    "jeans": ("+blue jeans", "+jeans"),
    "shorts": ("+{} shorts", "+shorts"),
    "skirt": ("{} skirt", "skirt"),
}


def a(words: str) -> str:
    """Return the words with the right indefinite article; plurals (`+`) have none."""
    if words.startswith("+"):
        return words
    return f"{'an' if words[0] in 'aeiou' else 'a'} {words}"


def person_phrases(look: Look) -> tuple[str, ...]:
    """Return the words for the person in captions."""
    plain = PEOPLE[look.kind]
    if look.old:
        traits: tuple[str, ...] = (f"old {look.kind}", f"elderly {look.kind}", look.kind)
    elif look.beard:
        traits = (*plain[:3], f"bearded {look.kind}")
    elif look.hat is None and look.style != "bald" and not look.child:
        traits = (*plain, f"{'blond' if look.hair == 'blond' else look.hair + '-haired'} {look.kind}")
    else:
        traits = plain
    return tuple(a(words) for words in traits)


def pair_phrases(first: Look, second: Look) -> tuple[str, ...]:
    """Return the words for two people together."""
    if first.kind == second.kind:
        return tuple(f"+{words}" for words in GROUPS[first.kind])
    if first.child and second.child:
        return ("+two children", "+two kids", "+two young children", "+children")
    if first.child or second.child:
        return ("+two people", "a family")
    return ("+two people", "+two people", "+people")


def garment_phrases(garment: Garment) -> tuple[str, ...]:
    """Return the words for a piece of clothing."""
    kind, colour = garment
    return tuple(a(words.format(colour)) for words in GARMENTS[kind])


def hair_phrases(look: Look) -> tuple[str, ...]:
    """Return the words for the person's hair."""
    long = {"long": "long ", "curly": "curly ", "short": "short "}.get(look.style, "")
    return f"{long}{look.hair} hair", f"{look.hair} hair"


def pronouns(look: Look) -> tuple[str, str]:
    """Return "he" and "his", or "she" and "her"."""
    return ("she", "her") if look.female else ("he", "his")
