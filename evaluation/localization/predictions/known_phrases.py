"""The phrases of a data set, by which the lines of a prediction file are checked."""

from collections.abc import Iterable

from evaluation.reading.picture import Picture
from evaluation.refused import Refused

Key = tuple[str, int, int]
"""Image, caption, phrase."""


class KnownPhrases:
    """The images of a data set with the numbers of their captions and phrases."""

    def __init__(self, pictures: Iterable[Picture]) -> None:
        self._pictures = {picture.name: picture for picture in pictures}

    def size(self, image: str) -> tuple[int, int]:
        """Return width and height in pixels."""
        picture = self._pictures[image]
        return picture.width, picture.height

    def check(self, image: str, caption: int, phrase: int, where: str) -> Key:
        """Return the key of a phrase. Raises Refused, which begins with the place, if the data has no such phrase."""
        picture = self._pictures.get(image)
        if picture is None:
            stem = image.rpartition(".")[0]
            if stem in self._pictures:
                raise Refused(f"{where}: name the image without its ending: {stem!r}.")
            raise Refused(
                f"{where}: the data has no image {image[:60]!r}; perhaps the predictions are for another data set."
            )
        if caption >= len(picture.captions):
            raise Refused(
                f"{where}: image {image} has {len(picture.captions)} captions, from 0, so no number {caption}."
            )
        phrases = len(picture.captions[caption].phrases)
        if phrase >= phrases:
            raise Refused(
                f"{where}: caption {caption} of image {image} has {phrases} phrases, from 0, so no number {phrase}."
            )
        return image, caption, phrase

    def has_box(self, key: Key) -> bool:
        """Return whether the phrase has a gold box."""
        picture = self._pictures[key[0]]
        return picture.captions[key[1]].phrases[key[2]].chain in picture.gold
