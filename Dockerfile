FROM node:20-bookworm-slim AS frontend
WORKDIR /build
COPY .npmrc ./
COPY scripts/frontend.sh scripts/
COPY fronten[d] frontend/
RUN scripts/frontend.sh build && mkdir -p frontend/dist

FROM python:3.11-slim-bookworm
ENV PYTHONUNBUFFERED=1 PYTHONDONTWRITEBYTECODE=1 PIP_NO_CACHE_DIR=1
WORKDIR /app
COPY requirements.txt ./
RUN pip install --require-hashes -r requirements.txt
COPY . .
COPY --from=frontend /build/frontend/dist frontend/dist
RUN useradd --create-home chainbox && mkdir /data && chown chainbox /data
USER chainbox
VOLUME /data
EXPOSE 8000
ENTRYPOINT ["scripts/process.sh"]
CMD ["web"]
