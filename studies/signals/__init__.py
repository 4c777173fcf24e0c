"""How often the signals of bad work find planted bad workers, and how often they accuse honest ones."""
