import { buildPaymentReference } from '../../billing/payments/paymentTerms.ts';
import type { InvoiceRow } from '../../billing/invoices/invoices.ts';
import type { TenantRow } from '../../tenancy/tenants.ts';
import { html, type Html } from '../../lib/html.ts';
import { renderSummary, type SummaryRow } from '../shared/components.ts';
import type { PayTranslator, TextKey } from './texts.ts';

/** An invoice to be paid by bank transfer, and the tenant's account. */
export interface Transfer {
  invoice: InvoiceRow;
  tenant: Pick<TenantRow, 'bankAccount'>;
}

/** Formats text in groups of four, as IBANs and creditor references are printed. */
const groupByFour = (text: string | null | undefined) => text?.replace(/(.{4})(?=.)/g, '$1 ');

/** Renders the instructions for a bank transfer: amount, reference, due date and account. */
export function renderTransfer({ say, formats }: PayTranslator, { invoice, tenant }: Transfer): Html {
  const { totalMinor, currency, dueAt, createdAt, number } = invoice;
  const account = tenant.bankAccount;
  const rows: [label: TextKey, value: Html | string | null | undefined][] = [
    ['reference', groupByFour(buildPaymentReference(invoice))],
    ['purpose', say('invoice', { number: String(number) })],
    ['payBy', dueAt !== null && dueAt > createdAt ? formats.day(dueAt) : undefined],
    ['accountHolder', account?.accountHolder],
    ['iban', groupByFour(account?.iban)],
    ['accountNumber', account?.accountNumber],
    ['bic', account?.bic],
    ['bank', account?.bankName],
  ];
  const summary = renderSummary([
    { label: say('amount'), value: formats.money(totalMinor, currency), emphasis: 'total' },
    ...rows.flatMap(([label, value]): SummaryRow[] => (value ? [{ label: say(label), value }] : [])),
  ]);
  return html`${summary}${account?.instructions ? html`<p class="small instructions"><bdi>${account.instructions}</bdi></p> ` : undefined}`;
}
