import { setTimeout as pause } from 'node:timers/promises';
import { ROOT_CONTEXT, SpanKind, SpanStatusCode, trace, type Context } from '@opentelemetry/api';
import {
  ExportResultCode,
  millisToHrTime,
  parseKeyPairsIntoRecord,
  parseTraceParent,
  TRACE_PARENT_HEADER,
} from '@opentelemetry/core';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { resourceFromAttributes } from '@opentelemetry/resources';
import {
  AlwaysOnSampler,
  BasicTracerProvider,
  BatchSpanProcessor,
  type SpanExporter,
} from '@opentelemetry/sdk-trace-base';
import type { FastifyBaseLogger, FastifyRequest } from 'fastify';
import type { Clock } from '../lib/clock.ts';
import type { RandomBytes } from '../lib/ids.ts';
import type { Observe } from './observe.ts';

/** Exports spans of requests to an OpenTelemetry collector. */
export interface Telemetry {
  observe: Observe;
  /** Exports the remaining spans. */
  close(): Promise<void>;
}

interface TelemetryParts {
  /** The value of OTEL_EXPORTER_OTLP_ENDPOINT. */
  endpoint: string;
  /** The value of OTEL_EXPORTER_OTLP_HEADERS: `name=value,…`. */
  headers?: string;
  version: string;
  clock: Clock;
  randomBytes: RandomBytes;
  log: FastifyBaseLogger;
}

/** Spans wait in memory for export, up to `maxQueueSize`; further spans are dropped. */
const batches = {
  scheduledDelayMillis: 2000,
  exportTimeoutMillis: 5000,
  maxExportBatchSize: 512,
  maxQueueSize: 4096,
};
/** The exporter retries for five seconds; shutdown does not wait that long for an unreachable collector. */
const closeMs = 2000;

/** Exports a span for each request by OTLP/HTTP with JSON. Its trace id is that of the request's traces. */
export function createTelemetry(parts: TelemetryParts): Telemetry {
  const { endpoint, clock, randomBytes, log, version } = parts;
  const exporter = new OTLPTraceExporter({
    url: `${endpoint}/v1/traces`,
    headers: parseKeyPairsIntoRecord(parts.headers),
    timeoutMillis: batches.exportTimeoutMillis,
  });
  let rootTraceId = '';
  const provider = new BasicTracerProvider({
    resource: resourceFromAttributes({ 'service.name': 'perennial', 'service.version': version }),
    sampler: new AlwaysOnSampler(),
    idGenerator: {
      // Called by `startSpan`, and only for spans without a parent.
      generateTraceId: () => rootTraceId,
      generateSpanId: () => Buffer.from(randomBytes(8)).toString('hex'),
    },
    spanProcessors: [new BatchSpanProcessor(warnOnce(exporter, log), batches)],
  });
  const tracer = provider.getTracer('perennial', version);

  return {
    observe: ({ operation, status, seconds, request }) => {
      const endMs = clock.nowMs();
      rootTraceId = request.traceId ?? request.id;
      const startTime = millisToHrTime(endMs - seconds * 1000);
      const options = { kind: SpanKind.SERVER, startTime, attributes: listAttributes(request, status) };
      const span = tracer.startSpan(operation, options, readParent(request));
      if (status >= 500) span.setStatus({ code: SpanStatusCode.ERROR });
      span.end(millisToHrTime(endMs));
    },
    close: async () => {
      const sent = provider.shutdown().catch(() => undefined);
      await Promise.race([sent, pause(closeMs, undefined, { ref: false })]);
    },
  };
}

/** Wraps an exporter and logs the first of successive failures. */
function warnOnce(exporter: SpanExporter, log: FastifyBaseLogger): SpanExporter {
  let dropped = 0;
  let isFailing = false;
  return {
    export: (spans, done) =>
      exporter.export(spans, (result) => {
        const failed = result.code === ExportResultCode.FAILED;
        if (failed) dropped += spans.length;
        if (failed && !isFailing)
          log.warn({ failure: result.error?.message, dropped }, 'spans could not be sent');
        isFailing = failed;
        done(result);
      }),
    forceFlush: () => exporter.forceFlush?.() ?? Promise.resolve(),
    shutdown: () => exporter.shutdown(),
  };
}

/** Returns the context with the client's span as the parent, if the request uses the client's trace id. */
function readParent({ headers, traceId }: FastifyRequest): Context {
  const parent = parseTraceParent(String(headers[TRACE_PARENT_HEADER] ?? ''));
  const isKept = parent !== null && parent.traceId === traceId;
  return isKept ? trace.setSpanContext(ROOT_CONTEXT, { ...parent, isRemote: true }) : ROOT_CONTEXT;
}

function listAttributes({ method, routeOptions, tenantAlias }: FastifyRequest, status: number) {
  return {
    'http.request.method': method,
    ...(routeOptions.url !== undefined && { 'http.route': routeOptions.url }),
    'http.response.status_code': status,
    ...(tenantAlias !== undefined && { 'perennial.tenant': tenantAlias }),
  };
}
