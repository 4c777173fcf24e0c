"""The record of each image, the fold of its entries, and the rows that follow. Imports models and rules."""
