"""Labels of a checked data set [beyond paper 3]: probabilities, doubts, changes."""
