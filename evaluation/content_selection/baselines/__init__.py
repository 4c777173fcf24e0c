"""The baselines: each orders the boxes of an image by one cue, the best first, or puts two orders together."""
