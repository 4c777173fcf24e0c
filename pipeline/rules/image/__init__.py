"""Rules of one image: progress, machine, who may answer, expert actions, merging. Imports the other rooms of rules."""
