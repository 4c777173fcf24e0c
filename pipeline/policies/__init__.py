"""The choice of the two policies, and the policies by belief."""
