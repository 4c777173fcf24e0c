"""FOIL: captions with one wrong word, models and people that look for it (Shekhar et al., ACL 2017)."""
