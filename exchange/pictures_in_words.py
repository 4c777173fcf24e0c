"""Say what became of the pictures of a source."""

from exchange.import_dataset import ImportReport
from upkeep.counted import counted


def pictures_in_words(report: ImportReport) -> str:
    """Return sentences for people; empty if neither the source nor the images have to do with pictures."""
    said = []
    if report.pictures_in_source:
        said.append(f"Pictures used: {report.pictures_used:,} of {report.pictures_in_source:,} in the source.")
    if report.pictures_added:
        said.append(f"{counted(report.pictures_added, 'picture')} added to images that came without.")
    if lacking := report.images - report.with_picture:
        images = "1 image has" if lacking == 1 else f"{lacking:,} images have"
        said.append(f"{images} no picture: nobody is asked about boxes there, until you import them with pictures.")
    return " ".join(said)
