/** The form on the page of an intent for the details of its invoice. */
import { listCountries } from '../../lib/countries.ts';
import type { Issue } from '../../lib/errors.ts';
import { html, type Html } from '../../lib/html.ts';
import { renderField, type Field } from '../pages/components.ts';
import {
  findCustomerToComplete,
  readInvoiceDetails,
  type InvoiceDetails,
} from '../../subscriptions/invoiceDetails.ts';
import type { IntentRow } from '../../subscriptions/intents.ts';
import type { TenantScope } from '../../tenancy/tenantScope.ts';

/** A form that was refused: what the payer entered, and why. */
export interface RefusedDetails {
  entered: InvoiceDetails;
  issues: Issue[];
}

/** The form of a page. */
export interface DetailsForm extends RefusedDetails {
  isOpen: boolean;
}

type Name = keyof InvoiceDetails;

interface FieldText extends Pick<Field, 'label' | 'autocomplete' | 'hint' | 'choices' | 'isRequired'> {
  /** Where the validation of customers reports the field. */
  path: string;
  problem: string;
}

const line = (label: string, autocomplete: string, path: string): FieldText => ({
  label,
  autocomplete,
  path,
  problem: 'Enter one line of at most 200 characters.',
});

const fields: Record<Name, FieldText> = {
  companyName: line('Company (optional)', 'organization', 'companyName'),
  vatId: {
    label: 'VAT id (optional)',
    autocomplete: 'off',
    path: 'taxIds',
    problem: 'This is not a VAT id. Check its digits and the letters before them.',
    hint: 'With the letters of the country, such as DE136695976.',
  },
  line1: line('Street and number', 'address-line1', 'address.line1'),
  line2: line('Address, second line (optional)', 'address-line2', 'address.line2'),
  postalCode: line('Postal code', 'postal-code', 'address.postalCode'),
  city: line('City', 'address-level2', 'address.city'),
  country: {
    label: 'Country',
    autocomplete: 'country',
    path: 'address.country',
    problem: 'Choose a country.',
    choices: [
      { value: '', label: 'Choose a country' },
      ...listCountries().map(({ code, name }) => ({ value: code, label: name })),
    ],
    isRequired: true,
  },
};

const names = Object.keys(fields) as Name[];

/** Reads the fields of a sent form; missing fields are empty. */
export const readDetails = (form: URLSearchParams): InvoiceDetails =>
  Object.fromEntries(names.map((name) => [name, form.get(name) ?? ''])) as Record<Name, string>;

/** Returns the form of an intent's page; undefined if its payer may not change the details. */
export async function findDetailsForm(
  { read, record }: TenantScope,
  intent: IntentRow,
  refused?: RefusedDetails,
): Promise<DetailsForm | undefined> {
  const customer = await findCustomerToComplete(read, record, intent);
  if (!customer) return undefined;
  const saved = readInvoiceDetails(customer);
  const isOpen = refused !== undefined || saved.country === '';
  return { ...(refused ?? { entered: saved, issues: [] }), isOpen };
}

/** Renders the form. */
export function renderDetailsForm(path: string, token: Html, { entered, issues, isOpen }: DetailsForm): Html {
  return html`<details class="details" ${isOpen ? html`open` : undefined}>
    <summary>Invoice details</summary>
    <form method="post" action="${path}/details">
      ${token}${names.map((name) =>
        renderField({ ...fields[name], name, value: entered[name], problem: findProblem(name, issues) }),
      )}
      <button class="second">Save invoice details</button>
    </form>
  </details> `;
}

function findProblem(name: Name, issues: Issue[]): string | undefined {
  const { path, problem } = fields[name];
  return issues.some((issue) => issue.path === path || issue.path.startsWith(`${path}.`))
    ? problem
    : undefined;
}
