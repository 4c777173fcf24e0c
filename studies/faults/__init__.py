"""The fault campaign: workers answer while processes die, servers restart and clocks jump. The books follow."""
