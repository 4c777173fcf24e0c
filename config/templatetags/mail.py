"""{% no_mail %}: the sentence that a page shows where the service sends no mail; empty: it sends mail."""

from django import template

from labelling.messages import no_mail

register = template.Library()
register.simple_tag(no_mail)
