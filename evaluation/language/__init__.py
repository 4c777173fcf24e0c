"""Words of captions: their tags and lemmas, by spaCy's model and lemminflect; no network is used."""
