import json
from io import StringIO
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command

from annotation.rules.dictionaries import load_dictionaries
from exchange.dataset import DatasetCaption, DatasetImage, DatasetMention
from exchange.type_agreement import TypeAgreement, count_type_agreement, describe_type_agreement


def counted() -> TypeAgreement:
    words = ("a", "dog", "the", "bar", "a", "man", "it")
    caption = DatasetCaption(" ".join(words), words, (0,) * 7)
    mentions = (
        DatasetMention(0, 0, 2, ("animals",)),
        DatasetMention(0, 2, 4, ("scene",)),
        DatasetMention(0, 4, 6, ("clothing",)),
        DatasetMention(0, 6, 7),
    )
    return count_type_agreement([DatasetImage("1", 10, 10, (caption,), mentions)], load_dictionaries())


def test_it_counts_exact_and_shared_types_and_leaves_out_mentions_without() -> None:
    agreement = counted()
    assert (agreement.mentions, agreement.exact, agreement.sharing) == (3, 1, 2)


def test_it_gives_precision_and_recall_by_type() -> None:
    agreement = counted()
    assert (agreement.precision("animals"), agreement.recall("animals")) == (1.0, 1.0)
    assert (agreement.precision("people"), agreement.recall("people")) == (0.0, None)
    assert (agreement.precision("clothing"), agreement.recall("clothing")) == (None, 0.0)


def test_it_prints_the_shares_and_the_differences() -> None:
    text = describe_type_agreement(counted())
    assert "3 mentions; same types: 1 (33.3 %); at least one type shared: 2 (66.7 %)" in text
    assert "a man: clothing / people" in text


def test_it_says_so_when_there_is_nothing_to_compare() -> None:
    assert "nothing can be compared" in describe_type_agreement(TypeAgreement())


def test_its_json_has_every_type_and_difference() -> None:
    data = counted().to_json()
    assert data["types"]["scene"] == {"theirs": 1, "ours": 1, "both": 1, "precision": 1.0, "recall": 1.0}
    assert [item["phrase"] for item in data["differences"]] == ["a man", "the bar"]


@pytest.mark.parametrize(("limit", "shown"), [(0, False), (1, True)])
def test_it_prints_no_more_differences_than_asked_for(limit: int, *, shown: bool) -> None:
    text = describe_type_agreement(counted(), limit)
    assert ("a man:" in text) is shown and "the bar:" not in text


def test_the_dictionaries_agree_with_the_half_of_the_real_data_they_were_not_written_by(
    data_folder: Path, tmp_path: Path
) -> None:
    out = StringIO()
    call_command(
        "type_agreement", data_folder / "flickr30k-entities", half="second", json=tmp_path / "types.json", stdout=out
    )
    data = json.loads((tmp_path / "types.json").read_text(encoding="utf-8"))
    assert data["exact"] / data["mentions"] >= 0.90
    assert data["sharing"] / data["mentions"] >= 0.92
    assert f"{data['mentions']} mentions; same types: {data['exact']}" in out.getvalue()


@pytest.mark.slow
def test_the_halves_share_no_mention_and_make_up_the_whole(data_folder: Path, tmp_path: Path) -> None:
    counts = []
    for half in ("first", "second", None):
        call_command(
            "type_agreement",
            data_folder / "flickr30k-entities",
            half=half,
            json=tmp_path / "types.json",
            stdout=StringIO(),
        )
        counts.append(json.loads((tmp_path / "types.json").read_text(encoding="utf-8"))["mentions"])
    assert counts[0] + counts[1] == counts[2] == 7292


def test_the_command_says_what_is_wrong_with_a_folder(tmp_path: Path) -> None:
    with pytest.raises(CommandError, match="no such folder"):
        call_command("type_agreement", tmp_path / "absent")
    with pytest.raises(CommandError, match="Sentences"):
        call_command("type_agreement", tmp_path)
