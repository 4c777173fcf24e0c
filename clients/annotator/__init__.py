"""A colleague: a program that answers questions and proposes boxes, by a vision-language model or by any detector.

Plain Python without Django. It knows the service by its HTTP API alone.
"""
