// The workloads of metered usage: events in batches and one by one, questions about limits, and reservations.
import { buildEvents, createLimit, createMeter, feature } from '../data/metering.mjs';

const variants = ['floor', 'perennial', 'perennial-postgres'];
const batchSize = 1000;
/** Requests that differ in their customers. */
const batches = 20;
const limitedCustomers = 1000;
/** How many batches a second are sent beside other work: ten thousand events. */
export const batchesPerSecond = 10;

const isFloor = (name) => name.startsWith('floor');
const post = (path, body) => ({ method: 'POST', path, body });

export const usageWorkloads = [
  {
    name: 'usage-batches',
    variants,
    writes: true,
    /** The rate is that of events. */
    requestsEach: 1 / batchSize,
    requests: async (send, { customers }, name) => {
      if (!isFloor(name)) await createMeter(send);
      return { requests: listBatches(customers) };
    },
    shown: ({ accepted }) => accepted,
  },
  {
    name: 'usage-single',
    variants: [...variants, 'floor-single'],
    writes: true,
    requests: async (send, { customers }, name) => {
      if (!isFloor(name)) await createMeter(send);
      const requests = Array.from({ length: 100 }, (_, index) =>
        post('/api/v1/usage', buildEvents(customers, 1, index * 11)),
      );
      return { requests };
    },
    shown: ({ accepted }) => accepted,
  },
  {
    name: 'entitlement-check',
    variants,
    requests: async (send, { customers }, name) => {
      const limited = customers.slice(0, limitedCustomers);
      if (!isFloor(name)) await createLimit(send, limited);
      return { requests: listChecks(limited) };
    },
    shown: ({ allowed, used }) => ({ allowed, used }),
  },
  {
    name: 'reservations',
    variants,
    writes: true,
    requests: async (send, { customers }, name) => {
      const limited = customers.slice(0, limitedCustomers);
      if (!isFloor(name)) await createLimit(send, limited);
      const requests = limited.map(({ id }) =>
        post(
          '/api/v1/reservations',
          JSON.stringify({ customerId: id, feature, amount: '7', ttlSeconds: 20 }),
        ),
      );
      return { requests };
    },
    shown: ({ amount, status }) => ({ amount, status }),
  },
];

/** Lists requests with a thousand events each. */
export const listBatches = (customers) =>
  Array.from({ length: batches }, (_, index) =>
    post('/api/v1/usage', buildEvents(customers, batchSize, index * 100)),
  );

/** Lists questions whether a customer may use an amount. */
const listChecks = (customers) =>
  customers.map(({ id }) => ({
    method: 'GET',
    path: `/api/v1/customers/${id}/entitlements/${feature}?amount=5`,
  }));
