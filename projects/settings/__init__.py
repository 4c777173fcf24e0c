"""Settings of a project as a form: what a change does, said before it is saved, and every version so far."""
