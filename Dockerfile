# The service as a container image:
#   docker build --tag coursectl .
# The container runs as a user without rights, writes only to /data, and needs no shell. To run it: docs/OPERATIONS.md.

# An image with Node and npm, by the digest of its index of all architectures. To print the current digest:
#   docker buildx imagetools inspect node:24-bookworm-slim
ARG NODE_IMAGE=node:24.21.0-bookworm-slim@sha256:d6aa754f16b3197301076f047b5def2f02ea1dbbc2ca920407d46d7ec7f87b20
# An image with Node alone is enough, if it has the same C library.
ARG RUNTIME_IMAGE=${NODE_IMAGE}

FROM ${NODE_IMAGE} AS build
WORKDIR /build
# Packages change less often than the source, so they have a layer of their own.
COPY package.json package-lock.json ./
RUN npm ci --ignore-scripts --no-audit --no-fund
# Copies the files that .dockerignore allows, then removes the packages of the build. The client of S3 stays.
COPY . .
RUN npm run build \
    && npm install --save-prod --save-exact --omit=dev --ignore-scripts --no-audit --no-fund \
      "@aws-sdk/client-s3@$(node --print 'require("./package.json").devDependencies["@aws-sdk/client-s3"]')"
# The last stage has no shell, so this stage creates its folders.
RUN mkdir -p /app /data \
    && cp -R bin dist migrations seeders examples node_modules package.json LICENSE THIRD-PARTY-NOTICES.md /app

FROM ${RUNTIME_IMAGE}
LABEL org.opencontainers.image.title="coursectl" \
      org.opencontainers.image.description="Course management service and operators' toolkit" \
      org.opencontainers.image.licenses="MIT"
ENV NODE_ENV=production \
    HOST=0.0.0.0 \
    DATA_DIR=/data \
    HOME=/data
COPY --from=build /app /app
COPY --from=build --chown=1000:1000 /data /data
WORKDIR /app
USER 1000:1000
VOLUME /data
EXPOSE 3000
# Checks that the service is alive, not that it is ready: an unreachable database is no reason to restart it.
HEALTHCHECK --interval=10s --timeout=3s --start-period=60s CMD ["node", "--eval", "fetch(`http://127.0.0.1:${process.env.PORT || 3000}/healthz`).then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
ENTRYPOINT ["node", "/app/bin/coursectl.js"]
CMD ["serve", "--migrate", "--quiet"]
