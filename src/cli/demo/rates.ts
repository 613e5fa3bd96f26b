/** Exchange rates of the demo: documents in dollars and pounds show their tax in euros, the currency of the seller, by them. */
import { setOwnRate } from '../../billing/invoices/taxConversions.ts';
import { dayMs } from '../../lib/durations.ts';
import { toLocalDate } from '../../lib/time.ts';
import type { Act, Story } from './story.ts';

/** A rate counts for seven days. */
const renewedAfterDays = 6;

/** How much a euro is on average, and how much that varies over the years. These are no rates of any bank. */
const currencies = { usd: { average: 1.08, swing: 0.03 }, gbp: { average: 0.85, swing: 0.01 } };
const swingDays = 400;

/** Plans the rates of the whole history; before everything else that happens at its first instant. */
export function planRates(story: Story): void {
  for (let atMs = story.clock.nowMs(); atMs < story.endMs; atMs += renewedAfterDays * dayMs)
    story.planAt(atMs, setRates);
}

const setRates: Act = async ({ clock }, tenant) => {
  const phase = Math.sin((2 * Math.PI * clock.nowMs()) / (swingDays * dayMs));
  const day = toLocalDate(tenant.now(), tenant.record.timezone);
  for (const [currency, { average, swing }] of Object.entries(currencies)) {
    const rate = (average + swing * phase).toFixed(4);
    await tenant.write((unit) => setOwnRate(unit, { currency, day, rate }));
  }
};
