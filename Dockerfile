FROM node:20-bookworm-slim AS frontend
WORKDIR /build
COPY .npmrc ./
COPY scripts/frontend.sh scripts/
COPY fronten[d] frontend/
RUN scripts/frontend.sh build && mkdir -p frontend/dist

# The tools that install packages stay in this stage.
FROM python:3.11-slim-trixie AS packages
ENV PIP_NO_CACHE_DIR=1 PIP_DISABLE_PIP_VERSION_CHECK=1
COPY requirements.txt ./
RUN python -m venv --without-pip /venv && pip --python /venv/bin/python install --require-hashes -r requirements.txt

FROM python:3.11-slim-trixie
ENV PYTHONUNBUFFERED=1 PYTHONDONTWRITEBYTECODE=1 PATH=/venv/bin:$PATH
# For `manage.py backup` and `restore`: the version of PostgreSQL in docker-compose.yml. Time zones: for the clock.
RUN apt-get update && apt-get install --yes --no-install-recommends postgresql-client-17 tzdata && rm -rf /var/lib/apt/lists/*
RUN useradd --create-home --uid 1000 chainbox && install --directory --owner=chainbox --mode=0700 /data /scratch /backups
WORKDIR /app
COPY --from=packages /venv /venv
COPY . .
COPY --from=frontend /build/frontend/dist frontend/dist
# All code belongs to root: the service cannot change itself.
USER chainbox
VOLUME /data
EXPOSE 8000
HEALTHCHECK --interval=30s --timeout=10s --start-period=60s CMD ["python", "scripts/healthy.py", "http://127.0.0.1:8000/readyz", "database", "migrations", "redis", "folder"]
ENTRYPOINT ["scripts/process.sh"]
CMD ["web"]
