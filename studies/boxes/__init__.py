"""The cost of a chain's boxes under the paper's loop, under the belief policy, and with proposals of a program."""
