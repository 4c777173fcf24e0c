"""Items of planted captions keep every rule, whatever stands in the captions."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from evaluation.foil.making.caption_words import mentioned
from evaluation.foil.making.exchange import targets_of
from evaluation.foil.making.lexicon import COCO_WORDS, pairs_of, read_lexicon
from evaluation.foil.making.make_items import Maker, Marked
from evaluation.foil.making.source import Source

LEXICON = read_lexicon(COCO_WORDS)
PAIRS = dict.fromkeys(pairs_of(LEXICON), "train")
NOUNS = (
    "ball",
    "Balls",
    "bat",
    "baseball",
    "skis",
    "kite",
    "Dog,",
    "dogs",
    "DOG",
    "(elephant)",
    "hot dog",
    "apple",
    "cake",
)
TAGS = {word: "NNS" if word.lower().rstrip(",").endswith("s") else "NN" for word in NOUNS}
OTHERS = ("a dog", "an elephant", "a", "an", "the", "near")
ARTICLES = ("a dog", "An elephant", "the dog", "A big dog")
captions = st.one_of(
    st.lists(st.lists(st.sampled_from((*NOUNS, *OTHERS)), min_size=1, max_size=9), min_size=1, max_size=5),
    st.lists(st.lists(st.sampled_from(ARTICLES), min_size=1, max_size=1), min_size=2, max_size=5),
)


@given(captions=captions, seed=st.integers(0, 5), sampling=st.sampled_from(["frequency", "uniform"]))
@settings(max_examples=100, deadline=None)
def test_an_item_differs_in_one_whole_word_that_the_image_does_not_mention(
    captions: list[list[str]], seed: int, sampling: str
) -> None:
    texts = [" ".join(words) for words in captions]
    marked = []
    for number, text in enumerate(texts):
        pieces = text.split()
        tags = [TAGS.get(piece, "NN" if piece in ("hot", "dog", "elephant") else "DT") for piece in pieces]
        if targets := targets_of(pieces, tags, LEXICON):
            marked.append(Marked("image", number, pieces, targets))
    maker = Maker(Source({"image": texts}, {}), LEXICON, PAIRS, {"image": "train"}, sampling)
    for item in maker.make(marked, np.random.default_rng(seed)).items:
        old, new = item.caption.split(), item.foil.split()
        assert [i for i, (a, b) in enumerate(zip(old, new, strict=True)) if a != b] == [item.place]
        target, foil = LEXICON.by_word[item.target], LEXICON.by_word[item.foil_word]
        before, after = (pieces[item.place].strip("(),") for pieces in (old, new))
        forms = {(target.singular, foil.singular), (target.plural, foil.plural)}
        assert (before.lower(), after.lower()) in forms
        assert (before.isupper(), before[0].isupper()) == (after.isupper(), after[0].isupper())
        assert sum(word in target.forms for word in mentioned(item.caption)) == 1
        assert all(foil.forms.isdisjoint(mentioned(text)) for text in texts)
        assert sum(not target.forms.isdisjoint(mentioned(text)) for text in texts) >= 2
        assert not (before.lower() == "dog" and item.place and old[item.place - 1] == "hot")
        if item.place and old[item.place - 1].lower() in ("a", "an"):
            assert (before[0].lower() in "aeiou") == (after[0].lower() in "aeiou")
