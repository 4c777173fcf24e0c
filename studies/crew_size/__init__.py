"""The crew that a project needs, so that few of its chains starve. Imports the simulation and the pipeline."""
