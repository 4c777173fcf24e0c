"""Django's admin: one page for each model, registered once, in the file named after the model.

`data`, `questions`, `stock`, `people`, `money` and `platforms` hold the pages; the files beside them hold what pages
share and import no page. Imports any app below; nothing imports this app.
"""
