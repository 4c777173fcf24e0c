"""The prior of links, before anybody answers: from the sizes of chains and from text. Imports links."""
