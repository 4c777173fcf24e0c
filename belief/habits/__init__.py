"""Drawing habits: the margin that each worker usually leaves, and one box of what several workers drew."""
