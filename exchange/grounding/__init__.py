"""Formats of grounding: captions whose phrases have boxes, as trainers of today's models read them."""
