"""The policies that decide what is asked next about links and boxes: by the paper, or by belief."""
