"""The rates at which the signals of bad work find planted bad workers and accuse honest ones."""
