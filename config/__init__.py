"""Settings, addresses, processes, metrics, backups, retention, the frame of every page: wiring only."""

import os

# The service multiplies small matrices only: a second thread for them doubles the processor time. Cores are filled by
# processes. NumPy, which is imported later, reads this once.
os.environ.setdefault("OMP_NUM_THREADS", "1")

from config.celery import app as celery_app

__all__ = ["celery_app"]
