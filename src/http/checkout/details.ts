/** The form on the page of an intent for the details of its invoice. */
import { listCountries } from '../../lib/countries.ts';
import type { Issue } from '../../lib/errors.ts';
import type { CustomerRow } from '../../customers/customers.ts';
import { findVatIdToCheck } from '../../tax/vatIdCheck.ts';
import { html, type Html } from '../../lib/html.ts';
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
  /** What VIES answered about the saved VAT id, if the tax depends on it. */
  vatIdNote?: string;
}

type Field = keyof InvoiceDetails;

interface FieldText {
  label: string;
  /** The token of the HTML attribute `autocomplete`. */
  autocomplete: string;
  /** Where the validation of customers reports the field. */
  path: string;
  problem: string;
  hint?: string;
}

const line = (label: string, autocomplete: string, path: string): FieldText => ({
  label,
  autocomplete,
  path,
  problem: 'Enter one line of at most 200 characters.',
});

const fields: Record<Field, FieldText> = {
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
  region: line('State or province (optional)', 'address-level1', 'address.region'),
  country: {
    label: 'Country',
    autocomplete: 'country',
    path: 'address.country',
    problem: 'Choose a country.',
  },
};

const names = Object.keys(fields) as Field[];
const countries = listCountries();

/** Reads the fields of a sent form; missing fields are empty. */
export const readDetails = (form: URLSearchParams): InvoiceDetails =>
  Object.fromEntries(names.map((name) => [name, form.get(name) ?? ''])) as Record<Field, string>;

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
  const vatIdNote = refused === undefined ? noteVatId(record, customer) : undefined;
  return { ...(refused ?? { entered: saved, issues: [] }), isOpen, vatIdNote };
}

const vatIdNotes = {
  valid: 'VIES has confirmed this VAT id: you account for the VAT yourself (reverse charge).',
  invalid: 'VIES does not know this VAT id, so VAT is charged. Check the id and save it again.',
  unavailable: 'VIES does not respond at the moment, so VAT is charged. Save again to repeat the check.',
};

function noteVatId(tenant: TenantScope['record'], customer: CustomerRow): string | undefined {
  const vatId = tenant.vatIdCheck === null ? undefined : findVatIdToCheck(tenant, customer);
  if (vatId === undefined) return undefined;
  const { vatIdCheck } = customer;
  return vatIdNotes[vatIdCheck?.value === vatId ? vatIdCheck.status : 'unavailable'];
}

/** Renders the form. */
export function renderDetailsForm(path: string, token: Html, form: DetailsForm): Html {
  const { entered, issues, isOpen, vatIdNote } = form;
  return html`<details class="details" ${isOpen ? html`open` : undefined}>
    <summary>Invoice details</summary>
    <form method="post" action="${path}/details">
      ${token}${names.map((name) =>
        renderField(name, entered, findProblem(name, issues), name === 'vatId' ? vatIdNote : undefined),
      )}
      <button class="second">Save invoice details</button>
    </form>
  </details> `;
}

function findProblem(name: Field, issues: Issue[]): string | undefined {
  const { path, problem } = fields[name];
  return issues.some((issue) => issue.path === path || issue.path.startsWith(`${path}.`))
    ? problem
    : undefined;
}

function renderField(
  name: Field,
  entered: InvoiceDetails,
  problem: string | undefined,
  remark: string | undefined,
): Html {
  const { label, autocomplete, hint } = fields[name];
  const note = problem ?? remark ?? hint;
  const attributes = html`id="${name}" name="${name}"
  autocomplete="${autocomplete}"${note && html` aria-describedby="${name}-note"`}${problem && html` aria-invalid="true"`}`;
  const control =
    name === 'country'
      ? renderCountries(attributes, entered.country)
      : html`<input ${attributes} value="${entered[name]}" maxlength="200" />`;
  return html`<p class="field">
    <label for="${name}">${label}</label>
    ${control}${note && html`<small id="${name}-note" ${problem && html` class="problem"`}>${note}</small>`}
  </p> `;
}

const renderCountries = (attributes: Html, chosen: string) =>
  html`<select ${attributes} required>
    <option value="">Choose a country</option>
    ${countries.map(
      ({ code, name }) =>
        html`<option value="${code}" ${code === chosen ? html`selected` : undefined}>${name}</option> `,
    )}
  </select>`;
