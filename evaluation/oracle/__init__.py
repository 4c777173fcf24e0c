"""Oracle captioning (Yao et al., "Oracle performance for visual captioning"): captions from known content."""
