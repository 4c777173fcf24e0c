"""Mail, and files for download in which no cell is a formula."""

import csv
from typing import Any

import pytest
from django.core import mail
from django.test import Client

from labelling.messages import mail_is_on, send_due_mail, write_mail
from labelling.models import OutgoingMail
from runtime.downloads import csv_lines, download


@pytest.mark.django_db
def test_a_mail_has_a_sender_a_subject_in_one_line_and_its_text_and_none_is_on_without_a_mail_server(
    settings: Any,
) -> None:
    settings.DEFAULT_FROM_EMAIL = "Chainbox <chainbox@example.org>"
    write_mail("ada@example.org", "An answer\nBcc: eve@example.org", "Hello.")
    assert send_due_mail() == 1
    (sent,) = mail.outbox
    assert (sent.from_email, sent.to, sent.bcc) == ("Chainbox <chainbox@example.org>", ["ada@example.org"], [])
    assert (sent.subject, sent.body) == ("An answer Bcc: eve@example.org", "Hello.")
    for backend, is_on in (("dummy", False), ("smtp", True)):
        settings.EMAIL_BACKEND = f"django.core.mail.backends.{backend}.EmailBackend"
        assert mail_is_on() is is_on is (write_mail("ada@example.org", "An answer", "Hello.") is not None)


@pytest.mark.django_db
def test_an_administrator_sees_what_became_of_a_mail_and_never_its_text(admin_client: Client) -> None:
    row = write_mail("ada@example.org", "Choose a new password", "Open https://secret.example/")
    assert row
    OutgoingMail.objects.update(state="failed", tries=11, problem="the mail server is gone")
    for page in ("/admin/labelling/outgoingmail/", f"/admin/labelling/outgoingmail/{row.pk}/change/"):
        text = admin_client.get(page).text
        assert "ada@example.org" in text and "the mail server is gone" in text and "secret.example" not in text
    again = {"action": "send_again", "_selected_action": [row.pk], "index": 0}
    assert "1 of them sent again" in admin_client.post("/admin/labelling/outgoingmail/", again, follow=True).text
    assert send_due_mail() == 1


def test_no_spreadsheet_takes_a_text_for_a_formula_and_numbers_stay_numbers() -> None:
    cells = ["=1+1", "+1", "-1", "@SUM(A1)", "\tx", "plain", -1, None]
    _, row = csv.reader(csv_lines(["a"] * len(cells), [cells]))
    assert row == ["'=1+1", "'+1", "'-1", "'@SUM(A1)", "'\tx", "plain", "-1", ""]


def test_a_download_has_a_name_and_is_kept_by_nobody() -> None:
    response = download(["a\n", "b\n"], "parks.csv")
    assert response.getvalue() == b"a\nb\n" and response["Cache-Control"] == "private, no-store"
    assert response["Content-Disposition"] == 'attachment; filename="parks.csv"'
