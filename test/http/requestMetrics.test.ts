/** Counts of requests read as those that the library of Prometheus keeps itself. */
import fc from 'fast-check';
import type { FastifyRequest } from 'fastify';
import { Counter, Histogram, Registry } from 'prom-client';
import { expect, it } from 'vitest';
import { countRequests } from '../../src/http/requestMetrics.ts';

const buckets = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5];
const request = {} as FastifyRequest;

function libraryCounts(registry: Registry) {
  const registers = [registry];
  const requests = new Counter({
    name: 'perennial_requests_total',
    help: 'Requests answered, by route or root field and by status.',
    labelNames: ['operation', 'status'],
    registers,
  });
  const durations = new Histogram({
    name: 'perennial_request_duration_seconds',
    help: 'How long requests took, by route or root field.',
    labelNames: ['operation'],
    buckets,
    registers,
  });
  return (operation: string, status: number, seconds: number) => {
    requests.inc({ operation, status });
    durations.observe({ operation }, seconds);
  };
}

const answers = fc.array(
  fc.tuple(
    fc.constantFrom('GET /api/v1/customers', 'query customers', 'mutation "quoted"', 'unknown'),
    fc.constantFrom(200, 201, 404, 500),
    fc.oneof(fc.constantFrom(...buckets, 0, 100), fc.double({ min: 0, max: 3, noNaN: true })),
  ),
);
/** Series are sorted, for those of a status come in another order. */
const linesOf = async (registry: Registry) => (await registry.metrics()).split('\n').toSorted();

it('whatever has been answered, at each reading', async () => {
  await fc.assert(
    fc.asyncProperty(answers, answers, async (first, then) => {
      const [ours, library] = [new Registry(), new Registry()];
      const observe = countRequests(ours);
      const count = libraryCounts(library);
      for (const some of [first, then]) {
        for (const [operation, status, seconds] of some) {
          observe({ operation, status, seconds, request });
          count(operation, status, seconds);
        }
        expect(await linesOf(ours)).toEqual(await linesOf(library));
      }
    }),
  );
});
