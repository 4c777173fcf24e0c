"""Rules with one thing changed in each: which of these mutants do the tests not tell from the original?"""
