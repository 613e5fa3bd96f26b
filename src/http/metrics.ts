import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { createServer, type Server } from 'node:http';
import { Gauge, Histogram, Registry, collectDefaultMetrics, Counter } from 'prom-client';
import { commits, type Commit } from '../runtime/commitChannel.ts';
import { toolCalls, type ToolCall } from '../runtime/mcpChannel.ts';
import { recordedUsage, type RecordedBatch } from '../runtime/usageChannel.ts';
import { addMs } from '../lib/time.ts';
import type { Clocked, Stored } from '../tenancy/service.ts';
import { listTenants, getCurrentInstant } from '../tenancy/tenants.ts';
import type { Observe } from './observe.ts';

/** Prometheus metrics and the server that exports them. */
export interface Metrics {
  observe: Observe;
  /** Listens on the loopback address only. Resolves with the port. */
  listen(port: number): Promise<number>;
  /** Records how many faults the last page check of the database file found. */
  recordPageCheck(faults: number): void;
  close(): Promise<void>;
}

const commitBuckets = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.5];
const requestBuckets = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5];
/** From the present to 35 days ago. */
const lagBuckets = [1, 10, 60, 600, 3600, 86_400, 604_800, 3_024_000];
const unitBuckets = [1, 2, 5, 10, 25, 50, 100];
/** Work that is overdue for longer is late: a running server starts due work within a second. */
const lateMs = 300_000;

/**
 * Creates the metrics and starts to collect them. Labels are routes, root fields and statuses only, so their number
 * does not depend on clients.
 */
export function createMetrics(service: Stored & Clocked): Metrics {
  const registry = new Registry();
  const registers = [registry];
  // Includes event-loop lag, memory, CPU time and garbage collection.
  collectDefaultMetrics({ register: registry });
  const observe = createRequestMetrics(registry);
  const stops = [watchCommits(registers), watchUsage(registers), watchToolCalls(registers)];
  addWorkGauges(registers, service);
  const pageFaults = new Gauge({
    name: 'perennial_database_page_faults',
    help: 'Faults that the last daily page check of the SQLite file found.',
    registers,
  });
  let server: Server | undefined;
  return {
    observe,
    recordPageCheck: (faults) => pageFaults.set(faults),
    listen: async (port) => {
      server = serveMetrics(registry);
      await new Promise<void>((resolve, reject) => {
        server!.once('error', reject).listen(port, '127.0.0.1', resolve);
      });
      return (server.address() as { port: number }).port;
    },
    close: async () => {
      for (const stop of stops) stop();
      server?.closeAllConnections();
      await new Promise<void>((resolve) => (server ? server.close(() => resolve()) : resolve()));
    },
  };
}

function watchCommits(registers: Registry[]): () => void {
  const units = new Histogram({
    name: 'perennial_commit_units',
    help: 'Units of work per commit.',
    buckets: unitBuckets,
    registers,
  });
  const durations = new Histogram({
    name: 'perennial_commit_duration_seconds',
    help: 'Duration of commits, including their units of work.',
    buckets: commitBuckets,
    registers,
  });
  const listen = (message: unknown) => {
    const commit = message as Commit;
    units.observe(commit.units);
    durations.observe(commit.seconds);
  };
  subscribe(commits.name, listen);
  return () => void unsubscribe(commits.name, listen);
}

function watchUsage(registers: Registry[]): () => void {
  const events = new Counter({
    name: 'perennial_usage_events_total',
    help: 'Usage events by what became of them.',
    labelNames: ['result'],
    registers,
  });
  const lag = new Histogram({
    name: 'perennial_usage_lag_seconds',
    help: 'From the time of the oldest accepted event of a request to its receipt.',
    buckets: lagBuckets,
    registers,
  });
  const listen = (message: unknown) => {
    const { accepted, duplicates, conflicts, refused, lagSeconds } = message as RecordedBatch;
    events.inc({ result: 'accepted' }, accepted);
    events.inc({ result: 'duplicate' }, duplicates);
    events.inc({ result: 'conflict' }, conflicts);
    events.inc({ result: 'refused' }, refused);
    if (lagSeconds !== undefined) lag.observe(lagSeconds);
  };
  subscribe(recordedUsage.name, listen);
  return () => void unsubscribe(recordedUsage.name, listen);
}

function watchToolCalls(registers: Registry[]): () => void {
  const calls = new Counter({
    name: 'perennial_mcp_calls_total',
    help: 'Calls of tools by agents, by tool and by result: ok, or the reason of the error.',
    labelNames: ['tool', 'result'],
    registers,
  });
  const listen = (message: unknown) => {
    const { tool, result } = message as ToolCall;
    calls.inc({ tool, result });
  };
  subscribe(toolCalls.name, listen);
  return () => void unsubscribe(toolCalls.name, listen);
}

/** Adds gauges of pending work, counted when the metrics are read. Test tenants are excluded. */
function addWorkGauges(registers: Registry[], service: Stored & Clocked): void {
  const { fresh } = service.store;
  const count = async (countTenant: (tenantAlias: string, now: string) => Promise<number>) => {
    let sum = 0;
    for (const tenant of await listTenants(service)) {
      if (!tenant.test) sum += await countTenant(tenant.alias, getCurrentInstant(service, tenant));
    }
    return sum;
  };
  const gauge = (
    name: string,
    help: string,
    countTenant: (tenantAlias: string, now: string) => Promise<number>,
  ) =>
    new Gauge({
      name,
      help,
      registers,
      async collect() {
        this.set(await count(countTenant));
      },
    });
  const countDue = (tenantAlias: string, to: string) =>
    fresh.count('subscriptions', { tenantAlias, dueAt: { to }, changingIntentId: null });
  gauge('perennial_renewals_due', 'Subscriptions due for renewal.', countDue);
  gauge(
    'perennial_renewals_late',
    'Subscriptions due for renewal for more than five minutes.',
    (alias, now) => countDue(alias, addMs(now, -lateMs)),
  );
  gauge(
    'perennial_alerts_failing',
    'Customers whose usage could not be compared with its alerts.',
    (tenantAlias) => fresh.count('limitChecks', { tenantAlias, failures: { from: 1 } }),
  );
  gauge('perennial_deliveries_due', 'Webhook deliveries due for an attempt.', (tenantAlias, now) =>
    fresh.count('webhookDeliveries', { tenantAlias, dueAt: { to: now } }),
  );
  gauge('perennial_mails_due', 'Mails due for an attempt.', (tenantAlias, now) =>
    fresh.count('mailDeliveries', { tenantAlias, dueAt: { to: now } }),
  );
  gauge('perennial_e_invoices_due', 'E-invoices due for an attempt.', (tenantAlias, now) =>
    fresh.count('eInvoiceDeliveries', { tenantAlias, dueAt: { to: now } }),
  );
  gauge('perennial_mails_pending', 'Mails that are not finished.', (tenantAlias) =>
    fresh.count('mailDeliveries', { tenantAlias, status: 'pending' }),
  );
  gauge('perennial_deliveries_pending', 'Webhook deliveries that are not finished.', (tenantAlias) =>
    fresh.count('webhookDeliveries', { tenantAlias, status: 'pending' }),
  );
}

function serveMetrics(registry: Registry): Server {
  return createServer((request, response) => {
    if (request.url !== '/metrics') {
      response.writeHead(404).end();
      return;
    }
    registry.metrics().then(
      (text) => response.writeHead(200, { 'content-type': registry.contentType }).end(text),
      () => response.writeHead(503, { 'retry-after': '1' }).end(),
    );
  });
}

/** Registers the counter and the histogram of requests. Returns the function that records a request in both. */
function createRequestMetrics(registry: Registry): Observe {
  const registers = [registry];
  const requests = new Counter({
    name: 'perennial_requests_total',
    help: 'Completed requests by route or root field, and by status.',
    labelNames: ['operation', 'status'],
    registers,
  });
  const durations = new Histogram({
    name: 'perennial_request_duration_seconds',
    help: 'Duration of requests by route or root field.',
    labelNames: ['operation'],
    buckets: requestBuckets,
    registers,
  });
  return ({ operation, status, seconds }) => {
    requests.inc({ operation, status });
    durations.observe({ operation }, seconds);
  };
}
