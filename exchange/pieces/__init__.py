"""Large exports in ranges of images, which several job runners make side by side and one joins."""
