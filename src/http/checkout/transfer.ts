import { buildPaymentReference } from '../../invoicing/paymentTerms.ts';
import type { InvoiceRow } from '../../invoicing/invoices.ts';
import type { IntentRow } from '../../subscriptions/intents.ts';
import type { TenantRow } from '../../tenancy/tenants.ts';
import { formatMoney } from '../../lib/money.ts';
import { html, type Html } from '../../lib/html.ts';
import { createDayFormatter } from './terms.ts';

/** The intent that is paid, and the seller. */
interface Payee {
  intent: IntentRow;
  seller: string;
}

/** An invoice to be paid by bank transfer, and the tenant's account. */
export interface Transfer {
  invoice: InvoiceRow;
  tenant: Pick<TenantRow, 'bankAccount' | 'timezone'>;
}

const renderRow = (label: string, value: string | null | undefined): Html =>
  value
    ? html`<div>
        <dt>${label}</dt>
        <dd><bdi>${value}</bdi></dd>
      </div> `
    : html``;

/** Formats text in groups of four, as IBANs and creditor references are printed. */
const groupByFour = (text: string) => text.replace(/(.{4})(?=.)/g, '$1 ');

/** Renders the instructions for a bank transfer: start of the subscription, amount, due date and account. */
export function renderTransfer({ intent, seller }: Payee, { invoice, tenant }: Transfer): Html {
  const { totalMinor, currency, dueAt, createdAt, number } = invoice;
  const account = tenant.bankAccount;
  const start = intent.changesSubscriptionId
    ? html`Your plan changes to <bdi>${intent.productName}</bdi> when <bdi>${seller}</bdi> has received your
        transfer.`
    : html`Your subscription to <bdi>${intent.productName}</bdi> starts on the day on which
        <bdi>${seller}</bdi> receives your transfer.`;
  return html`<p>${start}</p>
    <dl>
      <div class="total">
        <dt>Amount</dt>
        <dd>${formatMoney(totalMinor, currency)}</dd>
      </div>
      ${renderRow('Reference', groupByFour(buildPaymentReference(invoice)))}${renderRow('For', `Invoice ${number}`)}
      ${renderRow('Pay by', dueAt !== null && dueAt > createdAt ? createDayFormatter(tenant.timezone)(dueAt) : undefined)}
      ${renderRow('Account holder', account?.accountHolder)}
      ${renderRow('IBAN', account?.iban && groupByFour(account.iban))}${renderRow('Account number', account?.accountNumber)}
      ${renderRow('BIC', account?.bic)}${renderRow('Bank', account?.bankName)}
    </dl>
    ${account?.instructions ? html`<p class="small instructions"><bdi>${account.instructions}</bdi></p> ` : undefined}`;
}
