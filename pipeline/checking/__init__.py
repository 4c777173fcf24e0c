"""Checked data sets [beyond paper 3]: labels before and after a check."""
