"""The stock of gold questions (verification, test, examples): sources, balance, how long they last."""
