"""Commands of `manage.py` for one project. They import every other room of `pipeline`."""
