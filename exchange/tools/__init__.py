"""Exports of annotation tools: pictures with boxes, texts and relations, as people drew them elsewhere."""
