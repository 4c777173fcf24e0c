"""Pages for requesters: make, fill, start, watch and settle a project in the browser."""
