"""Django's admin: every model, registered once.

The files `of_*` hold the pages; the files beside them hold what pages share and import no page.
"""
