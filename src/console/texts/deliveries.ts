import type { Tone } from '../design/Status.tsx';

/** The tones of the statuses of a webhook delivery. */
export const deliveryTones = {
  pending: 'waiting',
  delivered: 'good',
  failed: 'bad',
  cancelled: 'neutral',
} as const satisfies Record<string, Tone>;
