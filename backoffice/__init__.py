"""Django's admin: one page for each model, registered once, in the file of its model or of the one it goes with.

`campaigns`, `data`, `questions`, `people`, `money` and `platforms` hold the pages; the files beside them hold what
pages share and import no page. Imports any app below; nothing imports this app.
"""
