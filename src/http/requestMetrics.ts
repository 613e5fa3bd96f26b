import { Counter, type Histogram, type Registry } from 'prom-client';
import type { Observe } from './observe.ts';

/** What has been answered under one name. */
interface Answered {
  countByStatus: Map<number, number>;
  /** Those that took at most so many seconds, and more than the bucket before; in the last one the others. */
  countByBucket: number[];
  seconds: number;
}

const buckets = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5];

/**
 * Counts requests and how long they took, for `registry` to tell of. They are added up as numbers and become its
 * values when it is read: it would find the place of each by a text made of its labels, forty times as slowly.
 */
export function countRequests(registry: Registry): Observe {
  const answered = new Map<string, Answered>();
  tellCounts(registry, answered);
  tellDurations(registry, answered);
  return ({ operation, status, seconds }) => {
    const own = answered.get(operation) ?? begin(answered, operation);
    own.countByStatus.set(status, (own.countByStatus.get(status) ?? 0) + 1);
    own.countByBucket[findBucket(seconds)]! += 1;
    own.seconds += seconds;
  };
}

function begin(answered: Map<string, Answered>, operation: string): Answered {
  const own = { countByStatus: new Map(), countByBucket: [...buckets.map(() => 0), 0], seconds: 0 };
  answered.set(operation, own);
  return own;
}

function findBucket(seconds: number): number {
  let index = 0;
  while (index < buckets.length && seconds > buckets[index]!) index += 1;
  return index;
}

function tellCounts(registry: Registry, answered: Map<string, Answered>): void {
  new Counter({
    name: 'perennial_requests_total',
    help: 'Requests answered, by route or root field and by status.',
    labelNames: ['operation', 'status'],
    registers: [registry],
    collect() {
      this.reset();
      for (const [operation, { countByStatus }] of answered) {
        for (const [status, count] of countByStatus) this.inc({ operation, status }, count);
      }
    },
  });
}

/** A registry asks no more of a metric than its name and this. */
function tellDurations(registry: Registry, answered: Map<string, Answered>): void {
  const name = 'perennial_request_duration_seconds';
  const help = 'How long requests took, by route or root field.';
  const get = async () => ({
    name,
    help,
    type: 'histogram',
    aggregator: 'sum',
    values: Array.from(answered, ([operation, own]) => listValues(name, operation, own)).flat(),
  });
  registry.registerMetric({ name, get } as unknown as Histogram);
}

/** As https://prometheus.io/docs/instrumenting/exposition_formats has a histogram: each bucket holds those before it. */
function listValues(name: string, operation: string, { countByBucket, seconds }: Answered) {
  let count = 0;
  const bucketValues = countByBucket.map((own, index) => {
    count += own;
    return {
      metricName: `${name}_bucket`,
      labels: { le: buckets[index] ?? '+Inf', operation },
      value: count,
    };
  });
  return [
    ...bucketValues,
    { metricName: `${name}_sum`, labels: { operation }, value: seconds },
    { metricName: `${name}_count`, labels: { operation }, value: count },
  ];
}
