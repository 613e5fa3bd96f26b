import type { FastifyBaseLogger } from 'fastify';
import type { Clock } from '../lib/clock.ts';
import type { RandomBytes } from '../lib/ids.ts';
import type { Observe, Observed } from './observe.ts';

/** Spans of requests, sent to a collector of OpenTelemetry. */
export interface Telemetry {
  observe: Observe;
  /** Sends what is left. */
  close(): Promise<void>;
}

interface TelemetryParts {
  /** As OTEL_EXPORTER_OTLP_ENDPOINT has it. */
  endpoint: string;
  /** As OTEL_EXPORTER_OTLP_HEADERS has them: `name=value,…`. */
  headers?: string;
  version: string;
  clock: Clock;
  randomBytes: RandomBytes;
  log: FastifyBaseLogger;
}

const intervalMs = 2000;
const timeoutMs = 5000;
const spansAtOnce = 512;
/** While the collector does not answer, what is older than these is dropped: requests come first. */
const mostSpans = 4096;
const serverKind = 2;
const errorStatus = 2;
const parentForm = /^00-[0-9a-f]{32}-([0-9a-f]{16})-[0-9a-f]{2}$/;

/**
 * Collects a span for each request, with the trace id that its activity traces have, and sends them in batches by
 * OTLP over HTTP, as JSON. It needs no package of OpenTelemetry, which would cost every start more than all of this.
 */
export function createTelemetry(parts: TelemetryParts): Telemetry {
  const { endpoint, clock, randomBytes, log } = parts;
  const url = `${endpoint}/v1/traces`;
  const headers = { 'content-type': 'application/json', ...parseHeaders(parts.headers) };
  let spans: object[] = [];
  let dropped = 0;
  let isFailing = false;

  const send = async () => {
    while (spans.length > 0) {
      const batch = spans.splice(0, spansAtOnce);
      const body = JSON.stringify(toExportRequest(batch, parts.version));
      const signal = AbortSignal.timeout(timeoutMs);
      try {
        const answer = await fetch(url, { method: 'POST', headers, body, signal });
        if (!answer.ok) throw new Error(`It answered ${answer.status}.`);
        isFailing = false;
      } catch (error) {
        dropped += batch.length;
        if (!isFailing) log.warn({ failure: (error as Error).message, dropped }, 'spans could not be sent');
        isFailing = true;
        return;
      }
    }
  };
  let sending = Promise.resolve();
  const timer = setInterval(() => {
    sending = sending.then(send);
  }, intervalMs);
  timer.unref();

  return {
    observe: (observed) => {
      if (spans.length < mostSpans) spans.push(toSpan(observed, clock.nowMs(), randomBytes));
      else dropped += 1;
    },
    close: async () => {
      clearInterval(timer);
      await sending;
      await send();
      spans = [];
    },
  };
}

function parseHeaders(text = ''): Record<string, string> {
  const pairs = text.split(',').filter(Boolean);
  return Object.fromEntries(
    pairs.map((pair) => {
      const [name = '', ...value] = pair.split('=');
      return [name.trim(), decodeURIComponent(value.join('=').trim())];
    }),
  );
}

function toSpan({ operation, status, seconds, request }: Observed, endMs: number, randomBytes: RandomBytes) {
  const [, parentSpanId] = parentForm.exec(String(request.headers['traceparent'] ?? '')) ?? [];
  const route = request.routeOptions.url;
  return {
    traceId: request.traceId ?? request.id,
    spanId: Buffer.from(randomBytes(8)).toString('hex'),
    ...(request.traceId !== undefined && parentSpanId && { parentSpanId }),
    name: operation,
    kind: serverKind,
    startTimeUnixNano: nanoseconds(endMs - seconds * 1000),
    endTimeUnixNano: nanoseconds(endMs),
    attributes: [
      text('http.request.method', request.method),
      ...(route === undefined ? [] : [text('http.route', route)]),
      { key: 'http.response.status_code', value: { intValue: String(status) } },
      ...(request.tenantAlias === undefined ? [] : [text('perennial.tenant', request.tenantAlias)]),
    ],
    status: status >= 500 ? { code: errorStatus } : {},
  };
}

const text = (key: string, value: string) => ({ key, value: { stringValue: value } });

const nanoseconds = (ms: number) => String(BigInt(Math.round(ms * 1000)) * 1000n);

const toExportRequest = (spans: object[], version: string) => ({
  resourceSpans: [
    {
      resource: { attributes: [text('service.name', 'perennial'), text('service.version', version)] },
      scopeSpans: [{ scope: { name: 'perennial' }, spans }],
    },
  ],
});
