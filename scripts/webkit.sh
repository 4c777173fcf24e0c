#!/bin/sh
# Runs the crew, a newcomer and axe in Debian's WebKitGTK, on a screen that nobody sees. For runs by hand:
# `make test` runs the same tests in Firefox. Arguments go to pytest.
set -eu
cd "$(dirname "$0")/.."
if ! command -v WebKitWebDriver >/dev/null || ! command -v xvfb-run >/dev/null; then
    echo "WebKitGTK is not installed. As root, on Debian or Ubuntu:" >&2
    echo "    apt-get install --yes --no-install-recommends webkit2gtk-driver xvfb xauth" >&2
    exit 1
fi
export CHAINBOX_BROWSER=webkitgtk
run() {
    # Selenium's own call warns.
    xvfb-run --auto-servernum --server-args "-screen 0 1600x1200x24" .venv/bin/pytest \
        -W "ignore:setting remote_server_addr:DeprecationWarning" tests/flows/test_in_firefox.py "$@"
}
dpkg-query --showformat '${Package} ${Version}\n' --show webkit2gtk-driver || true
failed=
run "$@" || failed=yes
# The colours that the system prefers are fixed when the browser starts.
GTK_THEME=Adwaita:dark run "$@" -k axe || failed=yes
[ -z "$failed" ]
