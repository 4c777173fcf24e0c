"""Explore: search a project's images by what was said, drawn and judged, see the results, and export them."""
