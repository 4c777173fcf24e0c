"""The commands of the requesters' side."""
