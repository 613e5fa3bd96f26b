/** The form on the page of an intent for the details of its invoice. */
import { listCountries } from '../../lib/countries.ts';
import type { Issue } from '../../lib/errors.ts';
import type { CustomerRow } from '../../billing/customers/customers.ts';
import { findVatIdToCheck } from '../../billing/tax/vatIdChecks.ts';
import { html, type Html } from '../../lib/html.ts';
import { renderField, type Field } from '../shared/components.ts';
import {
  findCustomerToComplete,
  readInvoiceDetails,
  type InvoiceDetails,
} from '../../billing/subscriptions/intents/invoiceDetails.ts';
import type { IntentRow } from '../../billing/subscriptions/intents/intents.ts';
import type { TenantScope } from '../../tenancy/tenantScope.ts';
import type { PayTranslator, TextKey } from './texts.ts';

/** A form that was refused: what the payer entered, and why. */
export interface RefusedDetails {
  entered: InvoiceDetails;
  issues: Issue[];
}

/** The form of a page. */
export interface DetailsForm extends RefusedDetails {
  isOpen: boolean;
  /** The company and the VAT id that are saved, so that the payer sees them in the closed form. */
  saved: string[];
  /** What VIES answered about the saved VAT id, if the tax depends on it. */
  vatIdNote?: TextKey;
}

type Name = keyof InvoiceDetails;

interface FieldTerms extends Pick<Field, 'autocomplete' | 'isRequired' | 'isShort'> {
  /** Where the validation of customers reports the field. */
  path: string;
  problem: TextKey;
  hint?: TextKey;
}

const line = (path: string, autocomplete: string, isShort = false): FieldTerms => ({
  path,
  autocomplete,
  problem: 'lineProblem',
  isShort,
});

const fields: Record<Name, FieldTerms> = {
  companyName: line('companyName', 'organization'),
  vatId: { path: 'taxIds', autocomplete: 'off', problem: 'vatIdProblem', hint: 'vatIdHint' },
  line1: line('address.line1', 'address-line1'),
  line2: line('address.line2', 'address-line2'),
  postalCode: line('address.postalCode', 'postal-code', true),
  city: line('address.city', 'address-level2', true),
  region: line('address.region', 'address-level1'),
  country: { path: 'address.country', autocomplete: 'country', problem: 'chooseCountry', isRequired: true },
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
  const shown = isOpen ? [] : [saved.companyName, saved.vatId].filter((value) => value !== '');
  return { ...(refused ?? { entered: saved, issues: [] }), isOpen, saved: shown, vatIdNote };
}

const vatIdNotes = { valid: 'vatIdValid', invalid: 'vatIdInvalid', unavailable: 'vatIdUnavailable' } as const;

function noteVatId(tenant: TenantScope['record'], customer: CustomerRow): TextKey | undefined {
  const vatId = tenant.vatIdCheck === null ? undefined : findVatIdToCheck(tenant, customer);
  if (vatId === undefined) return undefined;
  const { vatIdCheck } = customer;
  return vatIdNotes[vatIdCheck?.value === vatId ? vatIdCheck.status : 'unavailable'];
}

/** Renders the form. */
export function renderDetailsForm(
  translator: PayTranslator,
  path: string,
  token: Html,
  { entered, issues, isOpen, saved, vatIdNote }: DetailsForm,
): Html {
  const { say } = translator;
  const findHint = (name: Name) => {
    const hint = (name === 'vatId' ? vatIdNote : undefined) ?? fields[name].hint;
    return hint && say(hint);
  };
  const renderNamed = (name: Name) => {
    const { hint: _, problem, ...terms } = fields[name];
    return renderField({
      ...terms,
      name,
      label: say(name),
      value: entered[name],
      hint: findHint(name),
      problem: isRefused(name, issues) ? say(problem) : undefined,
      choices: name === 'country' ? listChoices(translator) : undefined,
    });
  };
  return html`<details class="details" ${isOpen ? html`open` : undefined}>
    <summary>${say('details')}${saved.map((value) => html`<small><bdi>${value}</bdi></small> `)}</summary>
    <form method="post" action="${path}/details">
      ${token}
      <div class="fields">${names.map(renderNamed)}</div>
      <button class="second">${say('saveDetails')}</button>
    </form>
  </details> `;
}

const listChoices = ({ write, language }: PayTranslator): Field['choices'] => [
  { value: '', label: write('chooseCountry') },
  ...listCountries(language).map(({ code, name }) => ({ value: code, label: name })),
];

function isRefused(name: Name, issues: Issue[]): boolean {
  const { path } = fields[name];
  return issues.some((issue) => issue.path === path || issue.path.startsWith(`${path}.`));
}
