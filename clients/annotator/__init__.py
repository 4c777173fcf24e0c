"""A model annotator: a program that answers questions and proposes boxes, by a vision-language model or a detector.

Plain Python without Django. It knows the service by its HTTP API alone.
"""
