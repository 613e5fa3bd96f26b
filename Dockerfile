# syntax=docker/dockerfile:1

# The executable, from the sources.
FROM node:24-bookworm AS build
WORKDIR /perennial
COPY package.json package-lock.json ./
COPY test/tools/package.json test/tools/
RUN npm ci --workspaces=false --include=dev --no-audit --no-fund
COPY . .
RUN npm run build:binary && mkdir /data

# The executable and the libraries of C and C++ that it needs: no shell, no package manager.
FROM gcr.io/distroless/cc-debian12:nonroot
COPY --from=build /perennial/dist/perennial /usr/local/bin/perennial
COPY --from=build --chown=nonroot:nonroot /data /data
ENV PERENNIAL_HOST=0.0.0.0 \
    PERENNIAL_DATABASE=sqlite:/data/perennial.db
VOLUME /data
EXPOSE 4000
# It listens for SIGTERM itself; requests under way may finish.
STOPSIGNAL SIGTERM
ENTRYPOINT ["/usr/local/bin/perennial"]
CMD ["serve"]
