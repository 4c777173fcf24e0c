"""The stock of verification questions: sources, balance, how long they last."""
