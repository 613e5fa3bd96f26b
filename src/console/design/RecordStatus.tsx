import { useTexts } from '../texts/language.tsx';
import { statusTexts as texts } from '../texts/texts.ts';
import { Status, type Tone } from './Status.tsx';

type SubscriptionState =
  'active' | 'cancelled' | 'incomplete' | 'past_due' | 'paused' | 'scheduled' | 'trialing';
type InvoiceState = 'draft' | 'open' | 'paid' | 'uncollectible' | 'void';

const subscriptionTones: Record<SubscriptionState, Tone> = {
  active: 'good',
  cancelled: 'neutral',
  incomplete: 'waiting',
  past_due: 'bad',
  paused: 'late',
  scheduled: 'waiting',
  trialing: 'waiting',
};

const invoiceTones: Record<InvoiceState, Tone> = {
  draft: 'neutral',
  open: 'waiting',
  paid: 'good',
  uncollectible: 'bad',
  void: 'neutral',
};

/** The status of a subscription. */
export function SubscriptionStatus({ status }: { status: SubscriptionState }) {
  const t = useTexts(texts);
  return <Status tone={subscriptionTones[status]}>{t[status]}</Status>;
}

/** The status of an invoice; an open one may be overdue. */
export function InvoiceStatus({ status, overdue = false }: { status: InvoiceState; overdue?: boolean }) {
  const t = useTexts(texts);
  if (status === 'open' && overdue) return <Status tone="late">{t.overdue}</Status>;
  return <Status tone={invoiceTones[status]}>{t[status]}</Status>;
}
