"""Sign-ins of workers, to which the tokens of their pages are bound. No admin page: a row names a session's key."""

from django.conf import settings
from django.db import models


class SignIn(models.Model):
    """One sign-in that opened a labelling page. It counts while its Django session and its password do."""

    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="+")
    session_key = models.CharField(max_length=40, unique=True, help_text="The key of the Django session.")
    password_end = models.CharField(max_length=12, help_text="The end of the hash of the password at that time.")

    def __str__(self) -> str:
        return f"sign-in {self.pk}"
