import type { Random } from '../../../src/lib/random.ts';
import type { Row } from '../../../src/storage/model/rowTypes.ts';
import { createCreditNote } from '../../../src/billing/invoices/issueCreditNote.ts';
import type { TenantScope } from '../../../src/tenancy/tenantScope.ts';
import type { Place, World } from './world.ts';

/** Issues a credit note over some invoice: all that is left, an amount, or parts of lines. */
export async function noteCredit({ random }: World, _: Place, tenant: TenantScope): Promise<void> {
  const invoice = await findInvoice(random, tenant);
  if (!invoice) return;
  const { id: invoiceId, currency } = invoice;
  const lines = await tenant.read.many('invoiceLines', { where: { invoiceId }, orderBy: ['id'] });
  const parts = lines
    .filter(({ kind }) => kind !== 'BALANCE' && random.chance(0.6))
    .map(({ id }) => ({ lineId: id, amount: { amount: random.whole(1, 40), currency } }));
  const form = random.weighted({ all: 2, amount: 4, lines: 3 });
  await createCreditNote(tenant, {
    invoiceId,
    kind: random.pick(['refund', 'credit', 'credit'] as const),
    ...(form === 'amount' && { amount: { amount: random.whole(1, 40), currency } }),
    ...(form === 'lines' && parts.length > 0 && { lines: parts }),
  });
}

/** Some open or paid invoice; every other time one that a balance has paid in part, if there is any. */
async function findInvoice(random: Random, tenant: TenantScope): Promise<Row<'invoices'> | undefined> {
  const status = random.chance(0.4) ? ('open' as const) : ('paid' as const);
  const found = await tenant.read.many('invoices', { where: { status }, orderBy: ['createdAt', 'id'] });
  if (found.length === 0) return undefined;
  if (random.chance(0.5)) return random.pick(found);
  const invoiceId = found.slice(-100).map(({ id }) => id);
  const used = await tenant.read.many('balanceEntries', { where: { kind: 'use', invoiceId } });
  const mixed = found.filter(({ id }) => used.some((entry) => entry.invoiceId === id));
  return random.pick(mixed.length > 0 ? mixed : found);
}

/** The bank gives money of some charge back by itself. */
export const takeBack = async ({ bank }: World, { alias }: Place): Promise<void> => bank.desk.takeBack(alias);

/** Reports of the bank about it arrive. */
export const hearOfBank = ({ bank }: World, _: Place, tenant: TenantScope): Promise<void> =>
  bank.desk.deliver(tenant);
