"""Made narrations are imported like any data set, with the sentence of each phrase."""

from pathlib import Path

import pytest
from django.core.management import call_command

from annotation.models import Gold, Image, Project
from exchange.import_dataset import import_dataset
from pipeline.record.replay import replay
from pipeline.rules.linking.link_strategy import Strategy
from pipeline.rules.progress.progress_json import from_json
from pipeline.rules.settings.protocol import ProtocolSettings
from pipeline.tick import tick
from scenes.make import make_scene
from scenes.write import write_source


@pytest.mark.django_db
def test_phrases_keep_their_sentences_and_gold_its_chains(tmp_path: Path) -> None:
    write_source(tmp_path / "told", 5, 1, pictures=False, narrated=True)
    report = import_dataset(project_name="narrations", path=tmp_path / "told", gold=True)
    made = make_scene(5, 0, narrated=True).image
    assert (report.images, report.mentions) == (1, len(made.mentions))
    mentions = from_json(Image.objects.get().progress.state).mentions
    last = made.mentions[-1]
    before = made.captions[last.caption].words[: last.start]
    assert mentions[len(made.mentions) - 1].sentence == before.count(".") > 5
    assert {one.is_pronoun for one in mentions.values()} == {True, False}
    assert len(Gold.objects.get().chains) == len(made.chains)


@pytest.mark.django_db
def test_beyond_the_rules_a_narration_is_linked_and_its_record_replayed(tmp_path: Path) -> None:
    write_source(tmp_path / "told", 5, 1, pictures=False, narrated=True)
    beyond = ProtocolSettings(strategy=Strategy.ADAPTIVE, beyond_rules=True)
    import_dataset(project_name="narrations", path=tmp_path / "told", gold=True, settings=beyond)
    tick()
    project = Project.objects.get()
    pairs = project.questions.values_list("subject", flat=True)
    caption_of = dict(project.images.get().mentions.values_list("number", "caption__number"))
    assert any(caption_of[one] == caption_of[other] for one, other in pairs)
    assert list(replay(project)) == []
    call_command("export_dataset", "narrations", str(tmp_path / "out"), "--format", "jsonl", "--include-unmerged")
    call_command("validate", str(tmp_path / "out"))
