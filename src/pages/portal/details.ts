/** The details on the customer's invoices. */
import type { FastifyReply } from 'fastify';
import { listCountries } from '../../lib/countries.ts';
import { BillingError, type Issue } from '../../lib/errors.ts';
import { html } from '../../lib/html.ts';
import { fillText } from '../../lib/texts.ts';
import { languageNames } from '../../lib/language.ts';
import {
  readCustomerDetails,
  saveCustomerDetails,
  type CustomerDetails,
} from '../../access/portal/details.ts';
import { renderField, renderToken, type Field } from '../shared/components.ts';
import type { PortalTexts } from './texts.ts';
import {
  describeProblem,
  redirectDone,
  sendPortalPage,
  writeFormToken,
  type CustomerVisit,
} from './visit.ts';

type Name = keyof CustomerDetails;

/** The token of the attribute `autocomplete` and the path of each field in errors, in the order of the form. */
const fields: Record<Name, [autocomplete: string, path: string]> = {
  companyName: ['organization', 'companyName'],
  vatId: ['off', 'taxIds'],
  line1: ['address-line1', 'address.line1'],
  line2: ['address-line2', 'address.line2'],
  postalCode: ['postal-code', 'address.postalCode'],
  city: ['address-level2', 'address.city'],
  region: ['address-level1', 'address.region'],
  country: ['country', 'address.country'],
  language: ['language', 'locale'],
};

const names = Object.keys(fields) as Name[];
const required: Name[] = ['line1', 'postalCode', 'city', 'country', 'language'];

/** Shows the form; `entered` are the values that were refused for `issues`. */
export function showDetails(
  visit: CustomerVisit,
  entered?: CustomerDetails,
  issues: Issue[] = [],
): FastifyReply {
  const { texts, base, customer } = visit;
  const values = entered ?? readCustomerDetails(customer);
  const content = html`<p class="soft">${texts.detailsLead}</p>
    <form method="post" action="${base}/details">
      ${renderToken(writeFormToken(visit, 'details'))}
      ${names.map((name) => renderField(buildField(visit, name, values[name], issues)))}
      <button>${texts.save}</button>
    </form> `;
  return sendPortalPage(visit, {
    title: texts.details,
    content,
    at: 'details',
    ...(issues.length > 0 && { problem: describeProblem(visit, 'detailsRefused'), status: 400 }),
  });
}

function buildField(visit: CustomerVisit, name: Name, value: string, issues: Issue[]): Field {
  const { texts } = visit;
  const [autocomplete, path] = fields[name];
  const isRefused = issues.some((issue) => issue.path === path || issue.path.startsWith(`${path}.`));
  return {
    name,
    label: html`${required.includes(name) ? texts[name] : fillText(texts.optional, { label: texts[name] })}`,
    value,
    autocomplete,
    ...(isRefused && { problem: html`${describeRefusal(texts, name)}` }),
    ...(name === 'country' && { choices: listCountryChoices(visit) }),
    ...(name === 'language' && { choices: listLanguages(value) }),
  };
}

function describeRefusal(texts: PortalTexts, name: Name): string {
  if (name === 'vatId') return texts.vatIdProblem;
  return name === 'country' ? texts.countryProblem : texts.lineProblem;
}

const listCountryChoices = ({ texts, language }: CustomerVisit): Field['choices'] => [
  { value: '', label: texts.chooseCountry },
  ...listCountries(language).map(({ code, name }) => ({ value: code, label: name })),
];

const listLanguages = (value: string): Field['choices'] => [
  ...(value === '' ? [{ value: '', label: '–' }] : []),
  ...Object.entries(languageNames).map(([tag, label]) => ({ value: tag, label })),
];

/** Saves the details. */
export async function saveDetails(visit: CustomerVisit): Promise<FastifyReply> {
  const { tenant, customer, form } = visit;
  const entered = Object.fromEntries(
    names.map((name) => [name, form.get(name) ?? '']),
  ) as unknown as CustomerDetails;
  try {
    await saveCustomerDetails(tenant, customer, entered);
  } catch (error) {
    if (!(error instanceof BillingError) || error.reason !== 'validation_failed') throw error;
    return showDetails(visit, entered, error.issues);
  }
  return redirectDone(visit, `/details?lang=${encodeURIComponent(entered.language)}`, 'detailsSaved');
}
