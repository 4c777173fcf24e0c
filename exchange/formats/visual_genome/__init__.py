"""Visual Genome: descriptions of regions."""

from exchange.formats.edits import key_of_id
from exchange.formats.format import Corrector, Format, count_matches
from exchange.formats.visual_genome.correct import patch_visual_genome
from exchange.formats.visual_genome.read import REGIONS, read_visual_genome

VISUAL_GENOME = Format(
    name="visual-genome",
    title="Visual Genome's descriptions of regions",
    marks=REGIONS,
    detects=lambda path: (path / REGIONS).is_file(),
    read=read_visual_genome,
    either_unit=True,
    count=lambda path: count_matches([path / REGIONS], rb'"regions"\s*:'),
    correct=Corrector(key_of_id, patch_visual_genome),
)
