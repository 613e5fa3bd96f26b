import type { Tone } from '../design/Status.tsx';

/** The kinds of mails. */
export const mailKinds = [
  'receipt',
  'invoice_issued',
  'payment_failed',
  'payment_method_expiring',
  'trial_ending',
  'renewal_upcoming',
  'plan_changed',
  'cancelled',
  'cancellation_scheduled',
  'email_changed',
  'refund',
  'credit_note',
  'subscription_started',
  'subscription_paused',
  'subscription_resumed',
  'usage_alert',
  'spend_alert',
  'credit_alert',
  'portal_code',
  'test',
] as const;

/** The tones of the statuses of a mail. */
export const mailTones = {
  pending: 'waiting',
  sent: 'good',
  failed: 'bad',
  bounced: 'bad',
  cancelled: 'neutral',
} as const satisfies Record<string, Tone>;
