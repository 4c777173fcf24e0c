"""The accuracy of the skill estimates on labels of real crowds."""
