"""`invite` and `make_api_key`: let people and programs join a project."""
