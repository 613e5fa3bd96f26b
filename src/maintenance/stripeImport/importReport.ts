import { BillingError } from '../../lib/errors.ts';
import { isTolerable, type Loss } from './losses.ts';

/** What one subscription will be charged first. */
interface FirstCharge {
  subscriptionId: string;
  stripeId: string;
  customer: string;
  product: string;
  /** Null where it ends instead. */
  date: string | null;
  amount: number;
  currency: string;
  hasPaymentMethod: boolean;
}

/** What stays with Stripe, and why. */
interface Left {
  stripeId: string;
  why: string;
  /** The kinds of loss that keep it there. */
  kinds?: string[];
}

/** What a record that comes loses on the way. */
interface Lost {
  stripeId: string;
  kind: string;
  field: string;
  why: string;
}

/** What a customer has in hand when they come. */
interface BroughtCredit {
  stripeId: string;
  customer: string;
  amount: number;
  currency: string;
}

export interface Brought {
  customers: number;
  products: number;
  prices: number;
  subscriptions: number;
  /** What had been brought before. */
  known: number;
  charges: FirstCharge[];
  left: Left[];
  credits: BroughtCredit[];
  lost: Lost[];
  /** How many records of each kind of loss, whether they stay or come. */
  counts: Record<string, number>;
  /** What the files cannot say. */
  notes: string[];
}

/** A reason to leave something with Stripe. */
class Leaving extends Error {
  constructor(
    why: string,
    readonly kinds?: string[],
  ) {
    super(why);
  }
}

/** Leaves the record at hand with Stripe; its other records come here. */
export function leave(why: string, kinds?: string[]): never {
  throw new Leaving(why, kinds);
}

/** Performs a part; where it cannot be brought here, tells why its record stays with Stripe. */
export async function orLeave(brought: Brought, stripeId: string, work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    if (error instanceof Leaving) {
      const { message: why, kinds } = error;
      brought.left.push(kinds ? { stripeId, why, kinds } : { stripeId, why });
    } else if (error instanceof BillingError && error.status === 400) {
      const why = error.issues.map(({ path, message }) => `${path} ${message}`).join('; ');
      brought.left.push({ stripeId, why: why || error.message });
    } else throw error;
  }
}

/** Leaves a record with Stripe that would lose more than is accepted. */
export function refuseLosses(losses: Loss[], accepted: readonly string[]): void {
  const blocking = losses.filter((loss) => !isTolerable(loss, accepted));
  if (blocking.length === 0) return;
  const why = [...new Set(blocking.map((loss) => loss.why))].join(', ');
  leave(`it ${why}`, [...new Set(blocking.map(({ kind }) => kind))]);
}

/** Lists what a record loses that comes. */
export function listLosses(brought: Brought, stripeId: string, losses: Loss[]): void {
  for (const loss of losses) brought.lost.push({ stripeId, ...loss });
}

/** How many records of each kind of loss there are. */
export function countLosses({ left, lost }: Brought): Record<string, number> {
  const records = new Set([
    ...left.flatMap(({ stripeId, kinds = [] }) => kinds.map((kind) => `${kind} ${stripeId}`)),
    ...lost.map(({ stripeId, kind }) => `${kind} ${stripeId}`),
  ]);
  const counts: Record<string, number> = {};
  for (const record of records) {
    const [kind] = record.split(' ') as [string];
    counts[kind] = (counts[kind] ?? 0) + 1;
  }
  return counts;
}
