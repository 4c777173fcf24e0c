"""Nouns and adjectives of phrases [paper 3.4, figure 6]: head nouns, and our own list of adjectives.

No tagger is used: a word that is on none of the lists counts as a noun.
"""

from collections.abc import Sequence

from annotation.rules.head_noun import head_noun


def _set(text: str) -> frozenset[str]:
    return frozenset(text.split())


COLORS = _set(
    """
    beige black blond blonde blue brown burgundy cream crimson dark-blue fuchsia gold golden gray green grey indigo
    ivory khaki lavender light-blue lime magenta maroon mauve multi-colored multicolored navy olive orange peach pink
    purple red scarlet silver tan teal turquoise violet white yellow
    """
)

ADJECTIVES = COLORS | _set(
    """
    adult adorable aged ancient antique baby beautiful big bright broad chubby clean clear colored colorful cute dark
    deep dim dirty dull dusty elderly elegant enormous faded fancy fat female flat fluffy foggy fresh frozen full fuzzy
    giant gigantic glossy gorgeous grassy grown heavy high huge icy large lean light little long loose low lush male
    massive mature messy middle-aged mini miniature modern muddy muscular narrow neat new old older open pale petite
    plain plump pretty rainy rocky rough round rugged rustic rusty sandy scruffy shaggy shallow sharp shiny short skinny
    slender slim small smooth snowy soft spiky square steep straight striking strong stylish sunny swift tall teenage
    thick thin tight tiny tidy tropical ugly vast vibrant vintage warm weathered wet wide wild windy worn young younger

    african african-american american arab asian brazilian british caucasian chinese english european french german
    hispanic indian irish italian japanese korean latino mexican muslim oriental russian scottish spanish western

    bald bare barefoot bearded bespectacled blindfolded blurry bundled busy camouflaged casual checkered costumed
    covered crowded curly curved decorated decorative denim disabled distant dressed dry electric electronic elevated
    empty excited fallen fenced floral flowered flowery folded formal freckled furry hairy handmade handsome happy
    hooded hot inflatable inflated injured intense joyful kneeling leafy leather leopard-print lone lonely long-haired
    long-sleeved makeshift masked matching metal metallic mixed mounted nearby nude orange-clad ornate oversized paved
    patterned pierced plaid plastic pointed polka-dot polka-dotted portable public raised red-haired red-headed
    residential ripped rubber running rural scantily-clad seated shirtless short-haired short-sleeved shirted similar
    sleeping sleeveless sleepy smiling snow-covered solitary spotted standing steel stone striped suited sweaty
    tattered tattooed tie-dyed traditional traditionally-dressed transparent two-toned uniformed unfinished urban
    various walking well-dressed wooden woolen wrinkled

    abandoned abstract angry attractive awake brave broken calm cheerful cloudy cold comfortable competitive concerned
    cool crazy curious determined different difficult dangerous energetic exotic fast fellow fierce final friendly funny
    good great inner interesting local loud mad military musical native natural nice odd opposite other outdoor outer
    own peaceful playful poor popular professional proud quiet rear religious rich sad scenic scary separate serious
    several-story silly single solo special strange tired typical unique unusual upside-down veiled

    athletic blue-collar concrete cotton day-glo fluorescent fur glass grey-haired gray-haired indoor knit knitted lit
    neon orange-colored pink-haired reflective ruffled sequined sheer silky sleek sparkly thatched tiled wicker wool
    """
)

FILLERS = _set(
    """
    a an the this that these those some any no each every all both either neither another such what which whose
    my your his her its our their one's
    one two three four five six seven eight nine ten eleven twelve dozen hundred thousand first second third last next
    many much few several more most less least enough half numerous multiple
    of in on at by with without from to for into onto over under near and or but nor as than like about around behind
    very too so quite really almost just only brightly colorfully nicely newly
    he she it they him them himself herself itself themselves i you we who there here
    's ' -
    """
)
NOT_NOUNS = ADJECTIVES | FILLERS


def noun_of(words: Sequence[str]) -> str | None:
    """Return the head noun of a phrase in lower case, or None.

    None if the last word is a number, a determiner or a similar word, or a colour ("a dark blue", "an orange"): a
    colour at the end of a phrase usually means clothing, rarely fruit. Any other adjective at the end of a phrase
    stands for a noun ("a male", "the elderly").
    """
    head = head_noun(words)
    if head in COLORS or head in FILLERS or not _has_letter(head):
        return None
    return head


def adjectives_of(words: Sequence[str]) -> set[str]:
    """Return the adjectives of a phrase, by our list, without the head noun ("a young male": young)."""
    lower = [word.lower() for word in words]
    head = noun_of(words)
    if head is not None:
        lower = lower[: len(lower) - 1 - lower[::-1].index(head)]
    return {word for word in lower if word in ADJECTIVES}


def object_category(words: Sequence[str]) -> str:
    """Return the phrase without everything but nouns, an object category of table 1; empty if it has no noun."""
    kept = [word for word in map(str.lower, words) if word not in NOT_NOUNS and _has_letter(word)]
    noun = noun_of(words)
    if noun in ADJECTIVES:
        kept.append(str(noun))
    return " ".join(kept)


def _has_letter(word: str) -> bool:
    return any(map(str.isalpha, word))
