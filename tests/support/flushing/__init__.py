"""App of the tests' settings: its command `flush`, which Django calls after a test that commits, takes the place of Django's."""
