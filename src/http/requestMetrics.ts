import { Counter, Histogram, type Registry } from 'prom-client';
import type { Observe } from './observe.ts';

const buckets = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5];

/** Registers the counter and the histogram of requests. Returns the function that records a request in both. */
export function createRequestMetrics(registry: Registry): Observe {
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
    buckets,
    registers,
  });
  return ({ operation, status, seconds }) => {
    requests.inc({ operation, status });
    durations.observe({ operation }, seconds);
  };
}
