"""The prediction of a project compared with the campaign that is then simulated."""
