"""Pages that show projects and images, download exports, and take the actions of experts. Imports any app below."""
