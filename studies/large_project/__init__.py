"""A made-up project as large as the paper's, in the tables of PostgreSQL, to measure pages with."""
