"""Time and accuracy of whole campaigns, from the first link to the merged chains and boxes."""
