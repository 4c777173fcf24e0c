"""The requesters' API: what the pages do, for programs."""
