FROM node:20-bookworm-slim AS frontend
WORKDIR /build
COPY .npmrc ./
COPY scripts/frontend.sh scripts/
COPY fronten[d] frontend/
RUN scripts/frontend.sh build && mkdir -p frontend/dist

# The tools that install packages stay in this stage.
FROM python:3.11-slim-trixie AS packages
ENV PIP_NO_CACHE_DIR=1 PIP_DISABLE_PIP_VERSION_CHECK=1
# Names of extras of pyproject.toml, with blanks between: docker-compose build --build-arg EXTRAS="nlp vectors".
ARG EXTRAS=""
WORKDIR /source
COPY requirements*.txt ./
RUN python -m venv --without-pip /venv && pip --python /venv/bin/python install --require-hashes -r requirements.txt \
    $(for extra in $EXTRAS; do echo "-r requirements-$extra.txt"; done) && pip install --require-hashes -r requirements-build.txt
COPY . .
COPY --from=frontend /build/frontend/dist frontend/dist
# Without this file the front end, which is built, is not built again (scripts/frontend.sh).
RUN rm frontend/package.json && pip wheel --no-deps --no-build-isolation --wheel-dir /wheel . && \
    pip --python /venv/bin/python install --no-deps --no-index /wheel/*.whl

FROM python:3.11-slim-trixie
# The last one: the service's modules lie in the package's folder.
ENV PYTHONUNBUFFERED=1 PYTHONDONTWRITEBYTECODE=1 CHAINBOX_DATA=/data PATH=/venv/bin:$PATH \
    PYTHONPATH=/venv/lib/python3.11/site-packages/chainbox
# For `chainbox backup` and `restore`: the version of PostgreSQL in docker-compose.yml. Time zones: for the clock.
RUN apt-get update && apt-get install --yes --no-install-recommends postgresql-client-17 tzdata && \
    rm -rf /var/lib/apt/lists/* /var/cache/apt/*.bin
RUN useradd --create-home --uid 1000 chainbox && install --directory --owner=chainbox --mode=0700 /data /scratch /backups
WORKDIR /app
COPY --from=packages /venv /venv
COPY scripts/process.sh scripts/healthy.py scripts/
# All code belongs to root: the service cannot change itself.
USER chainbox
VOLUME /data
EXPOSE 8000
HEALTHCHECK --interval=30s --timeout=10s --start-period=60s CMD ["python", "scripts/healthy.py", "http://127.0.0.1:8000/readyz", "database", "migrations", "redis", "folder"]
ENTRYPOINT ["scripts/process.sh"]
CMD ["web"]
