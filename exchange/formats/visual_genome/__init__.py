"""Visual Genome: descriptions of regions."""
