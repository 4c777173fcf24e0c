"""Django's admin: every model, registered once.

`campaigns`, `data`, `questions`, `people`, `money` and `platforms` hold the pages; the files beside them hold what
pages share and import no page.
"""
