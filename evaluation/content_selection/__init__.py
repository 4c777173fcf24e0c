"""Content selection: choosing the boxes that a description should mention."""
