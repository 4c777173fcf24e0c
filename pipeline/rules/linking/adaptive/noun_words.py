"""Words that tell how many a noun is, and of which gender and age: for the features of text_features.py."""


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


MALE = _words(
    """man male boy guy gentleman bloke dude father dad daddy grandfather grandpa son brother husband groom uncle king
    prince cowboy fisherman policeman fireman businessman workman salesman mailman waiter actor monk priest bearded"""
)
FEMALE = _words(
    """woman female girl lady gal mother mom mommy grandmother grandma daughter sister wife bride bridesmaid aunt queen
    princess cowgirl policewoman businesswoman saleswoman waitress actress nun ballerina"""
)
CHILD = _words("child kid baby toddler infant newborn schoolboy schoolgirl preschooler")
"""Not boy and girl: that is what captions call young adults, too."""
ADULT = _words(
    """adult man woman lady gentleman guy bloke dude gal father dad mother mom parent grandfather grandpa grandmother
    grandma husband wife groom bride businessman businesswoman policeman policewoman officer worker elderly bearded"""
)

NUMBERS = {word: number for number, word in enumerate(("one", "two", "three", "four", "five", "six", "seven"), start=1)}
NUMBERS |= {"eight": 8, "nine": 9, "ten": 10, "both": 2, "couple": 2, "duo": 2, "twins": 2, "trio": 3}
COLLECTIVES = _words("audience band crew crowd family group line lot orchestra police public team")
"""Several, though singular."""
