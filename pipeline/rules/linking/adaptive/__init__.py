"""The adaptive link strategy, which asks the link whose answer tells most. Imports the rules of links beside it."""
