"""A shared space of phrases and regions [paper 4.1.1]: word vectors, Fisher vectors, CCA, features of regions.

Pure functions on numpy arrays and readers of files; nothing here knows the commands.
"""
