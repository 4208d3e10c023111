# Builds gcdbench and runs the quickstart: docker build -t gcdbench . && docker run --rm gcdbench
# The build needs the Go module proxy and no other network; the run needs none.
FROM golang:1.26 AS build
WORKDIR /src
COPY . .
RUN CGO_ENABLED=0 go build -trimpath -o /gcdbench ./cmd/gcdbench

FROM scratch
COPY --from=build /gcdbench /gcdbench
COPY --from=build /src/configs /configs
COPY --from=build /src/LICENSE /LICENSE
WORKDIR /results
ENV TMPDIR=/results HOME=/results
ENTRYPOINT ["/gcdbench"]
CMD ["run", "/configs/quickstart.yaml", "--out", "/results/quickstart"]
