"""App of the tests: its command `flush`, which Django calls after a test that commits, replaces the one of Django."""
