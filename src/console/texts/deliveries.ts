import type { Tone } from '../design/Status.tsx';

/** The tones of the statuses of a webhook delivery. */
const deliveryTones = {
  pending: 'waiting',
  retried: 'late',
  delivered: 'good',
  failed: 'bad',
  cancelled: 'neutral',
} as const satisfies Record<string, Tone>;

interface Delivery {
  status: Exclude<keyof typeof deliveryTones, 'retried'>;
  /** How often it was tried. */
  tries: number;
}

/** Returns the name of a delivery's status, and its tone: one that waits after a failure is not just pending. */
export function describeDelivery({ status, tries }: Delivery): {
  name: keyof typeof deliveryTones;
  tone: Tone;
} {
  const name = status === 'pending' && tries > 0 ? 'retried' : status;
  return { name, tone: deliveryTones[name] };
}
