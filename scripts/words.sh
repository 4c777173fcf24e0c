#!/bin/sh
# Brings the words of the workers' pages in other languages up to date: `scripts/words.sh`, or `scripts/words.sh fr` for a new language.
# Writes config/locale/LANGUAGE/LC_MESSAGES/django.po, to be translated, and django.mo, which the service reads. Needs Debian's gettext.
set -eu
cd "$(dirname "$0")/.."
if ! command -v xgettext >/dev/null; then
    echo "The words are collected by GNU gettext. On Debian, as root: apt-get install gettext" >&2
    exit 1
fi
python=$PWD/.venv/bin/python
for language in ${1:-$(ls config/locale)}; do
    mkdir -p "config/locale/$language/LC_MESSAGES"
    # Requesters' and experts' pages are English: only the page that surrounds all others is shared.
    "$python" manage.py makemessages --locale "$language" --no-obsolete --no-wrap --no-location \
        --ignore '.venv' --ignore '.cache' --ignore 'frontend/*' --ignore 'tests/*' --ignore 'backoffice/*' --ignore 'var/*'
    # The time of the run would be a change every time.
    sed -i '/^"POT-Creation-Date:/d; /^"Report-Msgid-Bugs-To:/d' "config/locale/$language/LC_MESSAGES/django.po"
    "$python" manage.py compilemessages --locale "$language" --ignore '.venv' --ignore '.cache' --ignore 'frontend'
done
