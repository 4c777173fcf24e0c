"""Charts that look the same in every report: lines, bars, matrices."""
