"""The speed of the pipeline on this machine: judgments and merging, measured in databases of their own."""
