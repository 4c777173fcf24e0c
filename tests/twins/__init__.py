"""Stand-ins for services that no test can reach: they speak the real protocol on a port of this machine."""
