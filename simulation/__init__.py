"""Virtual crowds: the demo, dry runs of a project, and the comparison of link strategies. All figures are simulated.

It may import `exchange`, `pipeline`, `workers`, `annotation` and `scenes`.
"""
