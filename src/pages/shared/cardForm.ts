/** The card form of a provider's script: on the pay page, and wherever a customer adds a payment method. */
import type { MethodTexts, PageForm } from '../../providers/provider.ts';
import { listProviderNames } from '../../providers/registry.ts';
import type { TenantScope } from '../../tenancy/tenantScope.ts';
import { html, type Html } from '../../lib/html.ts';
import type { Language, Translated } from '../../lib/language.ts';
import { getCardScriptPath } from './cardScript.ts';
import type { PageNeeds } from './headers.ts';

/** A method of a provider that redirects the payer to a page of the provider, or is entered in its form. */
export interface OfferedMethod {
  id: string;
  texts: Translated<MethodTexts>;
  form?: PageForm;
}

/** Lists the methods of the providers that the payers of a tenant may use on a page. */
export async function listOfferedMethods(tenant: TenantScope): Promise<OfferedMethod[]> {
  const providers = await tenant.loadProviders();
  const enabled = new Set(listProviderNames(providers, tenant.record));
  return providers
    .filter(({ name }) => enabled.has(name))
    .flatMap(({ page }) => (page ? [{ id: page.redirectMethod, texts: page.texts, form: page.form }] : []));
}

/** What the card form is for, and how it is shown. */
interface CardFormOptions {
  /** The path prefix of this server's public URL. */
  base: string;
  /** In minor units; 0 only saves the method. */
  amountMinor: bigint;
  currency: string;
  language: Language;
}

/** Renders the fields in which a method is entered by the provider's script, inside the form that is sent. */
export function renderCardForm({ id: method, form }: OfferedMethod, options: CardFormOptions): Html {
  if (!form) return html``;
  const { base, amountMinor, currency, language } = options;
  const { scriptUrl, publishableKey: key } = form;
  const settings = {
    scriptUrl,
    method,
    key,
    // Languages that the script does not know follow the browser.
    locale: form.locales.includes(language) ? language : 'auto',
    options: form.buildOptions(amountMinor, currency),
  };
  return html`<input type="hidden" name="confirmation" value="" />
    <div class="card-form" data-card-form="${JSON.stringify(settings)}" hidden>
      <div data-fields></div>
      <p class="notice" role="alert" hidden></p>
    </div>
    <script src="${base}${getCardScriptPath()}" defer></script> `;
}

/**
 * Renders the button that leads to the provider's own page instead. It follows the button that sends the form, because
 * the Enter key presses the first one.
 */
export const renderElsewhereButton = ({ form }: OfferedMethod, label: Html): Html | undefined =>
  form && html`<button class="second" name="redirect" value="yes">${label}</button> `;

/** Returns what a page with these methods needs from the browser. */
export function listCardNeeds(methods: OfferedMethod[]): PageNeeds {
  const [form] = methods.flatMap((method) => method.form ?? []);
  if (!form) return {};
  const { script, frame, connect, img } = form.origins;
  return { scripts: ["'self'", ...script], frames: frame, connections: connect, images: img };
}

/**
 * Reads the method that a form with these methods chose: the confirmation of the provider's script if there is one.
 * Returns undefined for a method that is not offered.
 */
export function readChosenMethod(methods: OfferedMethod[], form: URLSearchParams): string | undefined {
  const byForm = methods.find((method) => method.form);
  if (form.has('redirect')) return byForm?.id;
  const chosen = methods.find(({ id }) => id === form.get('method'));
  const confirmation = form.get('confirmation') ?? '';
  return chosen?.form?.isConfirmation(confirmation) ? confirmation : chosen?.id;
}

/** Returns the method of a list that a payment was made with: for a confirmation, the one whose form created it. */
export const findUsedMethod = (methods: OfferedMethod[], used: string | null): string | undefined =>
  methods.find(({ id, form }) => used !== null && (id === used || form?.isConfirmation(used)))?.id;
