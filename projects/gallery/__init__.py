"""Pages that show projects and images, export them, and take the actions of experts. Imports any app below it."""
