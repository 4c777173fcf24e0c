"""Review: the queue of chains that wait for an expert, the workbench, undo, and the analysis of errors."""
