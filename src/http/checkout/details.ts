/** The form on the page of an intent for the details of its invoice. */
import { listCountries } from '../../lib/countries.ts';
import type { Issue } from '../../lib/errors.ts';
import type { CustomerRow } from '../../customers/customers.ts';
import { findVatIdToCheck } from '../../tax/vatIdCheck.ts';
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
  /** What VIES answered about the saved VAT id, if the tax depends on it. */
  vatIdNote?: string;
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
  region: line('State or province (optional)', 'address-level1', 'address.region'),
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
        renderField({
          ...fields[name],
          name,
          value: entered[name],
          problem: findProblem(name, issues),
          ...(name === 'vatId' && vatIdNote !== undefined && { hint: vatIdNote }),
        }),
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
