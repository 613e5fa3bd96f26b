import { refuse } from '../errors.ts';
import type { Row } from '../db/schema.ts';
import type { Reads } from '../db/store.ts';
import { pageOf, type Page, type PageArgs } from '../tenants/paging.ts';
import type { Tenant } from '../tenants/tenant.ts';
import type { Unit } from '../tenants/unit.ts';
import type { Line } from './periods.ts';

export type InvoiceRow = Row<'invoices'>;
export type InvoiceLineRow = Row<'invoiceLines'>;

/** Issues the open invoice of a subscription's cycle: the next number, its lines, and their sum. */
export async function issueInvoice(
  unit: Unit,
  subscription: Row<'subscriptions'>,
  cycleStart: string,
  lines: Line[],
): Promise<InvoiceRow> {
  const invoice = await unit.create(
    'invoices',
    {
      id: unit.id('inv'),
      number: await nextNumber(unit),
      subscriptionId: subscription.id,
      customerId: subscription.customerId,
      status: 'open',
      currency: subscription.currency,
      totalMinor: lines.reduce((sum, { amountMinor }) => sum + amountMinor, 0n),
      cycleStart,
      paidAt: null,
      createdAt: unit.now,
      updatedAt: unit.now,
    },
    { because: subscription.id },
  );
  for (const line of lines) {
    await unit.addPart('invoiceLines', {
      ...line,
      id: unit.id('line'),
      invoiceId: invoice.id,
      customerId: invoice.customerId,
      productName: subscription.productName,
      currency: invoice.currency,
      explanation: { ...line.explanation },
      paidAt: null,
    });
  }
  return invoice;
}

async function nextNumber(unit: Unit): Promise<number> {
  const [last] = await unit.many('invoices', {
    where: {},
    orderBy: ['number'],
    direction: 'desc',
    limit: 1,
  });
  return (last?.number ?? 0) + 1;
}

/** Marks an invoice paid, and so its periods as part of the customer's history. */
export async function settleInvoice(unit: Unit, invoice: InvoiceRow, because: string): Promise<InvoiceRow> {
  await unit.changeParts('invoiceLines', { invoiceId: invoice.id }, { paidAt: unit.now });
  const paid = { status: 'paid' as const, paidAt: unit.now };
  return unit.change('invoices', invoice, paid, { action: 'paid', because });
}

/** Voids what a subscription still owes; nobody will ask for it again. */
export async function voidOpenInvoices(unit: Unit, subscriptionId: string): Promise<void> {
  const open = await unit.many('invoices', { where: { subscriptionId, status: 'open' } });
  for (const invoice of open) {
    await unit.change('invoices', invoice, { status: 'void' }, { action: 'voided', because: subscriptionId });
  }
}

/** The invoice of that id. Error: `invoice_not_found`. */
export async function findInvoice(reads: Reads, id: string): Promise<InvoiceRow> {
  return (await reads.one('invoices', { id })) ?? refuse('invoice_not_found');
}

export interface InvoiceFilter {
  customerId?: string | null;
  subscriptionId?: string | null;
  status?: InvoiceRow['status'] | null;
}

/** The tenant's invoices, newest first unless ordered otherwise. Errors: `validation_failed`, `cursor_invalid`. */
export function listInvoices(
  tenant: Tenant,
  { customerId, subscriptionId, status }: InvoiceFilter,
  args: PageArgs,
): Promise<Page<InvoiceRow>> {
  const where = {
    customerId: customerId ?? undefined,
    subscriptionId: subscriptionId ?? undefined,
    status: status ?? undefined,
  };
  return pageOf(tenant, { name: 'invoices', table: 'invoices', where, by: ['createdAt', 'id'] }, args);
}
