# syntax=docker/dockerfile:1

# The executable of `npm run build:binary`, with the libraries of C and C++ that it needs: no shell, no package manager.
FROM gcr.io/distroless/cc-debian12:nonroot
COPY dist/perennial /usr/local/bin/perennial
# An empty folder of the image's user, whom a new volume then belongs to.
COPY --chown=65532:65532 deploy/data /data
ENV PERENNIAL_HOST=0.0.0.0 \
    PERENNIAL_DATABASE=sqlite:/data/perennial.db
USER 65532:65532
WORKDIR /data
VOLUME /data
EXPOSE 4000
# It listens for SIGTERM itself; requests under way may finish.
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=30s --timeout=5s --start-period=60s CMD ["/usr/local/bin/perennial", "health"]
ENTRYPOINT ["/usr/local/bin/perennial"]
CMD ["serve"]
