import { expect, it } from 'vitest';
import { torture } from './torture.ts';

it('while the server is down every request is refused with 503, and nothing acknowledged is lost or doubled', async () => {
  const figures = await torture({ crashes: 2, writers: 8, upMs: 700, downMs: 500 });
  expect(figures).toMatchObject({ lost: 0, doubled: 0, neverAcknowledged: 0, withoutTrace: 0, others: 0 });
  expect(figures.acknowledged).toBeGreaterThan(100);
  expect(figures.refused).toBeGreaterThan(10);
  expect(figures.refusedReads).toBeGreaterThan(2);
  expect(figures.slowestRefusalMs).toBeLessThan(6000);
  expect(figures.slowestRecoveryMs).toBeLessThan(3000);
}, 60_000);
