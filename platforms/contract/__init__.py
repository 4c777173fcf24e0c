"""The contract between the service and its platforms: calls, failures and terms.

May import the models and the rules of platforms.
"""
