# The whole service in one image: which part of it a container is, its arguments say (infra/README.md).

# The manifests alone, so that packages are installed anew only where one of them changed.
FROM node:24.21.0-trixie-slim AS manifests
WORKDIR /sources
COPY . .
RUN find . '(' -name package.json -o -name package-lock.json -o -name .npmrc ')' -exec cp --parents '{}' /srv ';'

# What builds the console stays behind: its pages are files.
FROM node:24.21.0-trixie-slim AS console
WORKDIR /app
COPY --from=manifests /srv ./
RUN npm ci --ignore-scripts --workspace=packages/console --include-workspace-root=false
COPY . .
RUN node packages/console/build.ts

FROM node:24.21.0-trixie-slim AS build
WORKDIR /app
COPY --from=manifests /srv ./
RUN npm ci --omit=dev
COPY . .
COPY --from=console /app/packages/console/dist packages/console/dist
# Shown by `--version`, `/v1/status` and `medialog_build_info`.
ARG COMMIT=
RUN npm run bundle --workspace=workflows \
    && sh infra/image/slim.sh \
    && printf '%s\n%s\n' "$COMMIT" "$(date -u +%FT%TZ)" >build.txt \
    # What npm made can be read already, and each file that is touched here takes its place once more.
    && find . -path ./node_modules -prune -o -exec chmod u=rwX,go=rX {} +

# Not a distroless base: sh and Perl confine the processes that read files before they begin.
FROM debian:trixie-20260918-slim AS base
RUN groupadd --system --gid 10001 medialog \
    && useradd --system --uid 10001 --gid medialog --no-create-home --home-dir /nonexistent --shell /usr/sbin/nologin medialog \
    && find / -xdev -perm /6000 -exec chmod a-s {} + \
    && rm -rf /usr/share/doc /usr/share/info /usr/share/locale /usr/share/man \
        /var/cache/apt /var/lib/apt/lists /var/log/*

# What was removed is in no layer.
FROM scratch
COPY --from=base / /
RUN install --directory --owner=medialog --group=medialog --mode=0700 /data /var/cache/medialog
COPY --from=build /usr/local/bin/node /usr/local/bin/node
COPY --from=build /app /app
WORKDIR /app
USER 10001:10001
ENV PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin \
    NODE_ENV=production \
    MALLOC_ARENA_MAX=2 \
    MALLOC_TRIM_THRESHOLD_=262144 \
    NODE_COMPILE_CACHE=/var/cache/medialog \
    HOST=0.0.0.0 \
    PORT=8080 \
    MEDIALOG_DATA_DIR=/data
RUN sh infra/image/compile.sh node --max-semi-space-size=4 packages/server/start.mjs
EXPOSE 8080
VOLUME ["/data"]
HEALTHCHECK --interval=15s --timeout=10s --start-period=2m --retries=4 \
    CMD ["node", "infra/image/healthcheck.ts"]
ENTRYPOINT ["node", "--max-semi-space-size=4", "packages/server/start.mjs"]
