"""The shapes of calls that fill a project: files, imports, predictions."""

from rest_framework import serializers

from annotation.rules.states import ImageState
from campaign.api.shapes import MOST_ROWS
from campaign.models import ImportRun, KnownBoxUse
from labelling.api.survey_shapes import Shape
from pipeline.rules.known.prediction_score import ScoreStanding
from pipeline.rules.tasks.task import Task


class FileShape(Shape):
    path = serializers.CharField()
    received = serializers.IntegerField(help_text="Bytes that are here. The next piece begins there.")
    size = serializers.IntegerField(help_text="Bytes of the whole file.")


class FilesShape(Shape):
    files = FileShape(many=True)
    format = serializers.CharField(help_text="What the complete files make; empty: nothing yet.")
    problem = serializers.CharField(help_text="Why the complete files cannot be imported yet; empty: they can.")
    piece_bytes = serializers.IntegerField(help_text="The most bytes of one piece.")


class PieceShape(Shape):
    path = serializers.CharField(max_length=1000, trim_whitespace=False, help_text="The file, with its folders.")
    offset = serializers.IntegerField(min_value=0, max_value=2**50, help_text="Where the piece begins, in bytes.")
    size = serializers.IntegerField(min_value=1, max_value=2**50, help_text="Bytes of the whole file.")


class WhichFileShape(Shape):
    path = serializers.CharField(
        required=False, default="", allow_blank=True, max_length=1000, help_text="Empty: every file."
    )


class OutOfPlaceShape(Shape):
    code = serializers.CharField()
    message = serializers.CharField()
    received = serializers.IntegerField(help_text="Go on from here.")
    complete = serializers.BooleanField(help_text="The whole file is here already.")


class NewImportShape(Shape):
    source = serializers.CharField(  # type: ignore[assignment]  # a field's own source is set in Meta, not here
        required=False,
        default="",
        allow_blank=True,
        max_length=500,
        help_text="A folder on the server or an s3:// address that an administrator allows; empty: the uploaded files.",
    )
    gold = serializers.BooleanField(
        required=False, default=False, help_text="Known chains and boxes are the right answers to compare with."
    )
    boxes = serializers.ChoiceField(
        choices=KnownBoxUse.choices,
        required=False,
        default=KnownBoxUse.CATEGORIES.value,
        help_text="What becomes of boxes that have a category and no chain, as in COCO's instances.",
    )


class ImportShape(Shape):
    id = serializers.IntegerField()
    kind = serializers.ChoiceField(choices=ImportRun.Kind.values)
    state = serializers.ChoiceField(choices=ImportRun.State.values)
    wanted = serializers.CharField(help_text="A wish that is still to be met: pause, cancel, or empty.")
    done = serializers.IntegerField(help_text="Images that were looked at.")
    total = serializers.IntegerField(help_text="About as many images as there are.")
    images = serializers.IntegerField(help_text="Images that were imported.")
    already_there = serializers.IntegerField()
    left_out = serializers.IntegerField()
    without_phrases = serializers.IntegerField(help_text="Images whose phrases are still to be found.")
    note = serializers.CharField(help_text="What became of the source's pictures and of boxes without chains.")
    problem = serializers.CharField(help_text="Why the import failed.")
    seconds = serializers.FloatField(help_text="Seconds since it began to work, or that it took.")


class WishShape(Shape):
    wish = serializers.ChoiceField(choices=["pause", "resume", "cancel"])


class LeftOutRowShape(Shape):
    id = serializers.IntegerField()
    image = serializers.CharField()
    file = serializers.CharField()
    line = serializers.IntegerField(allow_null=True)
    why = serializers.CharField()


class LeftOutShape(Shape):
    rows = LeftOutRowShape(many=True)
    after = serializers.IntegerField(allow_null=True, help_text="Ask for the next rows with it; null: no more.")


class PhraseShape(Shape):
    caption = serializers.IntegerField(help_text="From 0.")
    words = serializers.ListField(child=serializers.IntegerField(), help_text="[first word, end) in the caption.")
    text = serializers.CharField()
    types = serializers.ListField(child=serializers.CharField())

    class Meta:
        ref_name = "RequesterPhrase"


class ImageWithPhrasesShape(Shape):
    name = serializers.CharField()
    state = serializers.ChoiceField(choices=[state.value for state in ImageState])
    url = serializers.CharField(help_text="Of the picture, at most 1600 pixels long; valid for a week at least.")
    full_url = serializers.CharField(help_text="Of the picture in full size.")
    width = serializers.IntegerField(help_text="Of the upright image, in pixels.")
    height = serializers.IntegerField()
    language = serializers.CharField(help_text="Of the captions, as a BCP 47 tag; empty: unknown.", allow_blank=True)
    captions = serializers.ListField(child=serializers.CharField())
    phrases = PhraseShape(many=True)


class ImagesShape(Shape):
    images = ImageWithPhrasesShape(many=True)
    after = serializers.IntegerField(allow_null=True, help_text="Ask for the next images with it; null: no more.")


class PredictionShape(Shape):
    image = serializers.CharField(
        max_length=500,
        help_text="Name of the image with or without the ending of its file, its path in the import, or its COCO id.",
    )
    caption = serializers.IntegerField(min_value=0, help_text="From 0.")
    phrase = serializers.CharField(required=False, help_text="The words of the phrase; or give `words`.")
    words = serializers.ListField(
        child=serializers.IntegerField(min_value=0), required=False, help_text="[first word, end) in the caption."
    )
    boxes = serializers.ListField(
        child=serializers.ListField(child=serializers.FloatField()),
        required=False,
        help_text="Boxes [x0, y0, x1, y1] in pixels of the upright image, the best one first.",
    )
    scores = serializers.ListField(
        child=serializers.FloatField(min_value=0, max_value=1),
        required=False,
        help_text="How sure the program is of each box, from 0 to 1.",
    )
    chain = serializers.CharField(required=False, help_text="The same for phrases that refer to the same.")


class NewPredictionsShape(Shape):
    program = serializers.CharField(max_length=100)
    predictions = PredictionShape(many=True, allow_empty=False, max_length=MOST_ROWS)  # type: ignore[call-arg]  # of the list


class KeptPredictionsShape(Shape):
    images = serializers.IntegerField()
    boxes = serializers.IntegerField()
    chains = serializers.IntegerField()
    unchanged = serializers.IntegerField(help_text="Images that were predicted exactly so before.")
    unknown = serializers.ListField(child=serializers.CharField(), help_text="Names that no image of the project has.")


class ProgramScoreShape(Shape):
    task = serializers.ChoiceField(choices=[task.value for task in Task])
    right = serializers.IntegerField()
    total = serializers.IntegerField(help_text="Outcomes that are known, right or wrong.")
    low = serializers.FloatField(help_text="The low end of the 90 % interval of the share, 0 to 1.")
    high = serializers.FloatField()
    of = serializers.CharField(help_text="What the outcomes are of, such as “boxes that were tried”; empty: none yet.")
    minimum = serializers.FloatField()
    standing = serializers.ChoiceField(choices=[one.value for one in ScoreStanding])


class ProgramShape(Shape):
    program = serializers.CharField()
    images = serializers.IntegerField()
    due = serializers.IntegerField(help_text="Images whose predictions are still to be entered in the record.")
    scores = ProgramScoreShape(many=True)
    proposed = serializers.IntegerField(help_text="Boxes that were or are judged instead of being drawn.")
    accepted = serializers.IntegerField()
    bad = serializers.IntegerField()
