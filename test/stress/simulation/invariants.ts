import type Database from 'better-sqlite3';
import { auditBooks } from '../../../src/billing/audit/audit.ts';
import { auditRedemptions } from '../../../src/billing/audit/auditDiscounts.ts';
import { groupBy } from '../../../src/lib/groupBy.ts';
import { getTaken } from '../../../src/billing/invoices/reversals.ts';
import { auditRevenueOfAll } from '../../../src/insights/revenue/audit.ts';
import { findEInvoiceFaults, type RandomAccessPoint } from './accessPoint.ts';
import type { Bank } from './bank.ts';
import type { Deliveries } from './deliveries.ts';
import { readBooks, readRows, type DiskBooks } from './books.ts';
import { findEvidenceFaults } from './evidence.ts';
import { traceFaults } from './history.ts';

/**
 * Invariants of a database at any moment. Each fault is one line.
 * `bank` lists the payments it made, `deliveries` what must be billed; `settled` means that no payment may be pending.
 */
export function findFaults(
  disk: Database.Database,
  {
    bank,
    deliveries,
    accessPoint,
  }: { bank?: Bank; deliveries?: Deliveries; accessPoint?: RandomAccessPoint } = {},
  settled = false,
): string[] {
  const books = readBooks(disk);
  return [
    ...auditBooks(books).map(({ subject, found }) => `${subject}: ${found}`),
    ...revenueFaults(disk),
    ...redemptionFaults(disk, books),
    ...numberFaults(books),
    ...totalFaults(books),
    ...rivalFaults(disk),
    ...groupFaults(disk),
    ...(bank ? bankFaults(books, bank, settled) : []),
    ...(deliveries?.findFaults(books) ?? []),
    ...(accessPoint ? findEInvoiceFaults(readRows(disk, 'eInvoiceDeliveries'), accessPoint, settled) : []),
    ...findEvidenceFaults(disk),
    ...traceFaults(disk),
    ...noticeFaults(disk),
    ...databaseFaults(disk),
  ];
}

/** The movements of MRR of each customer follow from each other, and sum up to what the subscriptions bring. */
function revenueFaults(disk: Database.Database): string[] {
  const subscriptions = readRows(disk, 'subscriptions');
  const ids = new Set(subscriptions.map(({ customerId }) => customerId));
  const movements = readRows(disk, 'mrrMovements').toSorted((a, b) => (a.id < b.id ? -1 : 1));
  return auditRevenueOfAll([...ids], subscriptions, movements).map(
    ({ subject, found }) => `${subject}: ${found}`,
  );
}

/** Every coupon and code counts its discounts and the payments that redeem it. */
function redemptionFaults(disk: Database.Database, { discounts, paying }: DiskBooks): string[] {
  const faults: string[] = [];
  const [coupons, promotionCodes] = [readRows(disk, 'coupons'), readRows(disk, 'promotionCodes')];
  auditRedemptions({ coupons, promotionCodes, discounts, paying }, (subject, found) =>
    faults.push(`${subject}: ${found}`),
  );
  return faults;
}

/** No notice is given twice: a reminder of a day, or the announcement of a billing date. */
function noticeFaults(disk: Database.Database): string[] {
  const repeated = disk
    .prepare(
      `SELECT resource_id FROM traces WHERE payload ->> '$.action' IN ('payment_reminder', 'renewal_upcoming')
       GROUP BY tenant_alias, resource_id, payload ->> '$.action', payload ->> '$.details.daysOverdue', payload ->> '$.details.renewsAt'
       HAVING count(*) > 1`,
    )
    .pluck()
    .all();
  return repeated.map((id) => `${String(id)}: was given a notice twice`);
}

/** No document asks for less than nothing, whatever its status. */
function totalFaults({ invoices, creditNotes }: DiskBooks): string[] {
  return [...invoices, ...creditNotes].flatMap(({ id, totalMinor }) =>
    totalMinor < 0n ? [`${id}: its total is ${totalMinor}`] : [],
  );
}

function numberFaults({ invoices }: DiskBooks): string[] {
  return [...groupBy(invoices, ({ tenantAlias }) => tenantAlias)].flatMap(([alias, own]) =>
    own.every(({ number }, index) => number === index + 1) ? [] : [`${alias}: invoice numbers have gaps`],
  );
}

function rivalFaults(disk: Database.Database): string[] {
  return ['group_id', 'product_id'].flatMap((column) => {
    const rivals = disk
      .prepare(
        `SELECT customer_id FROM subscriptions WHERE cancelled_at IS NULL AND ${column} IS NOT NULL GROUP BY tenant_alias, customer_id, ${column} HAVING count(*) > 1`,
      )
      .pluck()
      .all();
    return rivals.map((customer) => `${String(customer)}: two subscriptions of one ${column}`);
  });
}

/** A running subscription is in the group that its product is in: so no customer has two of one group. */
function groupFaults(disk: Database.Database): string[] {
  return disk
    .prepare(
      `SELECT subscriptions.id FROM subscriptions JOIN products ON products.tenant_alias = subscriptions.tenant_alias
         AND products.id = subscriptions.product_id
       WHERE cancelled_at IS NULL AND subscriptions.group_id IS NOT products.group_id`,
    )
    .pluck()
    .all()
    .map((id) => `${String(id)}: is in another group than its product`);
}

/** The bank and the books agree on every movement; only what is under way may be known to the bank alone. */
function bankFaults(books: DiskBooks, bank: Bank, settled: boolean): string[] {
  const faults = [...bank.faults];
  const own = books.payments.filter(({ provider, amountMinor }) => provider === 'bank' && amountMinor > 0n);
  const succeeded = groupBy(
    own.filter(({ kind, status }) => kind === 'charge' && status === 'succeeded'),
    ({ reference }) => reference,
  );
  const isAsked = ({ kind, reference }: (typeof own)[number]) => kind === 'refund' && reference === null;
  const refunds = new Map(own.filter(isAsked).map((refund) => [refund.id, refund]));
  for (const { kind, key, reference, amountMinor } of bank.movements.values()) {
    if (kind === 'refund') {
      const status = refunds.get(key)?.status;
      if (status !== 'succeeded' && (settled || status !== 'pending'))
        faults.push(`${key}: given back by the bank, ${status} in the books`);
      continue;
    }
    const known = succeeded.get(reference) ?? [];
    if (known.length > 1 || (known.length === 0 && (settled || !isUnderWay(books, key))))
      faults.push(`${key}: charged by the bank, ${known.length} times in the books`);
    if (known.some((payment) => payment.amountMinor !== amountMinor))
      faults.push(`${key}: another amount than the bank's`);
  }
  for (const [reference] of succeeded) {
    if (!bank.movements.has(reference.slice('bank_'.length)))
      faults.push(`${reference}: in the books, and not in the bank's`);
  }
  for (const { id, status } of refunds.values()) {
    if (status === 'succeeded' && !bank.movements.has(id))
      faults.push(`${id}: a refund that the bank did not make`);
  }
  if (settled) faults.push(...takenFaults(books, bank));
  if (settled)
    faults.push(
      ...books.payments
        // An inquiry takes nothing, however long it is open.
        .filter(({ kind, status }) => status === 'pending' && kind !== 'dispute')
        .map(({ id }) => `${id}: is pending`),
    );
  return faults;
}

/** What went back of each charge, by whomever, is the same in the books as at the bank, and at most the charge. */
function takenFaults({ payments }: DiskBooks, { movements, desk }: Bank): string[] {
  const byCharge = groupBy(payments, ({ chargeId }) => chargeId);
  const refunds = groupBy([...movements.values()], ({ of }) => of ?? null);
  const sum = (rows: { amountMinor: bigint }[]) => rows.reduce((total, row) => total + row.amountMinor, 0n);
  return payments
    .filter(
      ({ kind, status, provider }) => kind === 'charge' && status === 'succeeded' && provider === 'bank',
    )
    .flatMap(({ id, reference, amountMinor }) => {
      const bookedMinor = (byCharge.get(id) ?? []).reduce((total, each) => total + getTaken(each), 0n);
      const takenMinor = sum(refunds.get(reference!) ?? []) + desk.sumTaken(reference!.slice('bank_'.length));
      if (takenMinor > amountMinor) return [`${id}: ${takenMinor} went back of ${amountMinor}`];
      return takenMinor === bookedMinor
        ? []
        : [`${id}: ${takenMinor} went back, the books have ${bookedMinor}`];
    });
}

/** A try is under way while its invoice or intent waits for the answer, or a pending payment stands for it. */
function isUnderWay({ invoiceById, intents, payments }: DiskBooks, key: string): boolean {
  const cut = key.lastIndexOf('_');
  const [id, attempt] = [key.slice(0, cut), Number(key.slice(cut + 1))];
  if (
    payments.some(({ status, invoiceId, intentId }) => status === 'pending' && (invoiceId ?? intentId) === id)
  )
    return true;
  const invoice = invoiceById.get(id);
  if (invoice) return invoice.chargeStartedAt !== null && invoice.attempts === attempt;
  const intent = intents.get(id);
  return intent !== undefined && intent.askedAt !== null && intent.attempts === attempt;
}

function databaseFaults(disk: Database.Database): string[] {
  const broken = disk.pragma('foreign_key_check') as unknown[];
  const integrity = disk.pragma('integrity_check', { simple: true });
  return [
    ...(broken.length > 0 ? [`${broken.length} references are broken`] : []),
    ...(integrity === 'ok' ? [] : [String(integrity)]),
  ];
}
