import { useClock } from '../data/clock.tsx';
import type { Tone } from '../design/Status.tsx';
import { useFormat } from './format.ts';
import { useTexts } from './language.tsx';
import { deliveryTexts } from './texts.ts';

/** The tones of the statuses of a webhook delivery. */
const deliveryTones = {
  pending: 'waiting',
  delivered: 'good',
  failed: 'bad',
  cancelled: 'neutral',
} as const satisfies Record<string, Tone>;

interface Delivery {
  status: keyof typeof deliveryTones;
  /** How often it was tried. */
  tries: number;
  nextAttemptAt: string | null;
}

/** Returns a function that names the status of a delivery: one that waits after a failure is not just pending. */
export function useDeliveryWords(): (delivery: Delivery) => { name: string; tone: Tone } {
  const t = useTexts(deliveryTexts);
  const format = useFormat();
  const now = useClock();
  return ({ status, tries, nextAttemptAt }) =>
    status === 'pending' && tries > 0
      ? { name: nextAttemptAt ? t.retriedAt(format.future(nextAttemptAt, now)) : t.retried, tone: 'late' }
      : { name: t[status], tone: deliveryTones[status] };
}
