# The image of one app:
#
#   docker build --file deploy/docker/service.Dockerfile --build-arg APP=token --tag signet/token .
#
# APP is a folder of apps/: login, token, introspection, keys, directory, migration, migrate or cli. The stages up to
# `installed` do not depend on it, so the second image of a checkout takes seconds. No stage needs BuildKit.
ARG NODE_IMAGE=node:24-bookworm-slim

FROM ${NODE_IMAGE} AS tools
WORKDIR /signet
# A registry behind a private authority: its PEM file goes into this folder, and no further than this stage's heirs.
COPY deploy/docker/certificate-authorities/ /certificate-authorities/
RUN cat /dev/null $(find /certificate-authorities -name '*.pem') > /certificate-authorities.pem
ENV NODE_EXTRA_CA_CERTS=/certificate-authorities.pem CI=true TURBO_TELEMETRY_DISABLED=1 DO_NOT_TRACK=1
COPY package.json ./
RUN npm install --global --no-fund --no-audit "$(node --print 'require("./package.json").packageManager')"

# Manifests alone, so that dependencies are installed again only when one of them or the lock file changes.
FROM tools AS manifests
COPY . /checkout/
RUN cd /checkout && mkdir /manifests \
 && cp --parents package.json pnpm-workspace.yaml pnpm-lock.yaml */package.json */*/package.json /manifests/

FROM tools AS installed
COPY --from=manifests /manifests/ ./
RUN pnpm install --frozen-lockfile --ignore-scripts
COPY . ./
RUN pnpm --filter @signet/grpc --filter @signet/cli --filter @signet/console generate && pnpm --filter @signet/console build

# The packages of the app and their production dependencies, from what is already downloaded, and the one file that all of
# them start as (docs/decisions/0024-bundled-images.md).
FROM installed AS assembled
ARG APP
RUN test -f "apps/${APP}/src/main.ts" || { echo "APP=${APP} is not an app"; exit 1; }
RUN pnpm exec turbo prune "@signet/${APP}" --docker --out-dir /pruned
WORKDIR /pruned/json
RUN pnpm install --offline --frozen-lockfile --ignore-scripts --prod --filter-prod "@signet/${APP}..." \
 && node /signet/deploy/docker/keep-what-runs.mjs "@signet/${APP}" /signet /pruned/json \
 && node /signet/deploy/docker/bundle-app.ts app

# What Node.js needs to run, and nothing else of its image.
FROM ${NODE_IMAGE} AS runtime
COPY deploy/docker/keep-runtime.mjs /
RUN node /keep-runtime.mjs /runtime

FROM scratch
ARG APP
ARG VERSION=0.0.0
ARG REVISION=unknown
COPY --from=runtime /runtime/ /
COPY --from=assembled /pruned/json/ /signet/
WORKDIR /signet
# The default of Node.js depends on the memory of the machine. With less than this a busy service looks for garbage so
# often that it answers a fifth less; one at rest has given it back (packages/platform/src/runtime/heap.ts).
ENV PATH=/usr/local/bin NODE_ENV=production NODE_OPTIONS=--max-semi-space-size=32
LABEL org.opencontainers.image.title="signet-${APP}" \
      org.opencontainers.image.description="Signet, an OpenID Connect and OAuth 2.0 identity provider: ${APP}" \
      org.opencontainers.image.licenses="Apache-2.0" \
      org.opencontainers.image.version="${VERSION}" \
      org.opencontainers.image.revision="${REVISION}"
# Numbers, so that Kubernetes can tell that this is not root; nothing but /tmp is writable for it.
USER 65532:65532
ENTRYPOINT ["node", "app/bundle/main.js"]
