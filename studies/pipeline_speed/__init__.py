"""How fast the pipeline is on this machine: judgments and merging, measured in databases of their own."""
