"""Statistics of data sets: counts of the paper, words and types, as tables and charts."""
