import { expect, it } from 'vitest';
import { torture } from '../../stress/torture/postgres.ts';

it('while the server is down every request is refused with 503, and nothing acknowledged is lost or doubled', async () => {
  const figures = await torture({ crashes: 2, writers: 8, upMs: 700, downMs: 500 });
  expect(figures).toMatchObject({ lost: 0, doubled: 0, neverAcknowledged: 0, withoutTrace: 0, others: 0 });
  expect(figures.acknowledged).toBeGreaterThanOrEqual(3 * 20);
  expect(figures.refused).toBeGreaterThanOrEqual(2 * 8);
  expect(figures.refusedReads).toBeGreaterThanOrEqual(2);
});
