#!/bin/sh
# Runs one process of the service: `scripts/process.sh web|jobs|worker|beat`, or `migrate`, which ends. Settings come from the
# environment.
set -eu
cd "$(dirname "$0")/.."
[ -x .venv/bin/python ] && PATH="$PWD/.venv/bin:$PATH"
export WORKER_PROCESSES="${WORKER_PROCESSES:-2}"
case ${1:-} in web | jobs | worker | beat | migrate) python -m config.start "$1" ;; esac
case ${1:-} in
    web)
        exec gunicorn config.wsgi --config python:config.processes --worker-class config.web_worker.WebWorker --bind "${BIND:-0.0.0.0:8000}" \
            --workers "${WEB_PROCESSES:-2}" --threads 4 --no-control-socket --preload
        ;;
    jobs) exec python -m config.runners --clock ;;
    worker) exec python -m config.runners ;;
    beat) exec celery -A config beat --loglevel WARNING ;;
    migrate) ;;
    *)
        echo "Usage: scripts/process.sh web|jobs|worker|beat|migrate" >&2
        exit 2
        ;;
esac
