import { BillingError } from '../../lib/errors.ts';
import { isTolerable, type Loss } from './losses.ts';

/** The first charge of an imported subscription. */
interface FirstCharge {
  subscriptionId: string;
  stripeId: string;
  customer: string;
  product: string;
  /** The number of its add-ons. */
  addOns: number;
  /** Null if the subscription ends instead. */
  date: string | null;
  amount: number;
  currency: string;
  hasPaymentMethod: boolean;
}

/** A record that stays with Stripe, and why. */
interface SkippedRecord {
  stripeId: string;
  why: string;
  /** The kinds of losses that prevented the import. */
  kinds?: string[];
}

/** A setting of an imported record that is lost. */
interface LostSetting {
  stripeId: string;
  kind: string;
  field: string;
  why: string;
}

/** A credit balance imported for a customer. */
interface ImportedCredit {
  stripeId: string;
  customer: string;
  amount: number;
  currency: string;
}

export interface ImportReport {
  customers: number;
  products: number;
  prices: number;
  subscriptions: number;
  taxRates: number;
  /** The number of records that an earlier import created. */
  known: number;
  charges: FirstCharge[];
  left: SkippedRecord[];
  credits: ImportedCredit[];
  lost: LostSetting[];
  /** The number of records with each kind of loss, imported or not. */
  counts: Record<string, number>;
  /** Warnings about information missing from the files. */
  notes: string[];
}

/** Thrown to leave a record with Stripe. */
class SkippedError extends Error {
  constructor(
    why: string,
    readonly kinds?: string[],
  ) {
    super(why);
  }
}

/** Skips the current record: it stays with Stripe, and others are still imported. */
export function skipRecord(why: string, kinds?: string[]): never {
  throw new SkippedError(why, kinds);
}

/** Runs one part of the import; if the part fails for a reason of the record, reports the record as skipped. */
export async function skipIfRefused(
  report: ImportReport,
  stripeId: string,
  work: () => Promise<void>,
): Promise<void> {
  try {
    await work();
  } catch (error) {
    if (error instanceof SkippedError) {
      const { message: why, kinds } = error;
      report.left.push(kinds ? { stripeId, why, kinds } : { stripeId, why });
    } else if (error instanceof BillingError && error.status === 400) {
      const why = error.issues.map(({ path, message }) => `${path} ${message}`).join('; ');
      report.left.push({ stripeId, why: why || error.message });
    } else throw error;
  }
}

/** Skips a record with losses that are not accepted. */
export function refuseLosses(losses: Loss[], accepted: readonly string[]): void {
  const blocking = losses.filter((loss) => !isTolerable(loss, accepted));
  if (blocking.length === 0) return;
  const why = [...new Set(blocking.map((loss) => loss.why))].join(', ');
  skipRecord(`it ${why}`, [...new Set(blocking.map(({ kind }) => kind))]);
}

/** Reports the losses of an imported record. */
export function reportLosses(report: ImportReport, stripeId: string, losses: Loss[]): void {
  for (const loss of losses) report.lost.push({ stripeId, ...loss });
}

/** Counts the records with each kind of loss. */
export function countLosses({ left, lost }: ImportReport): Record<string, number> {
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
