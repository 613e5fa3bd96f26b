/** One request of a customer's browser to the portal. */
import type { FastifyReply } from 'fastify';
import type { CustomerRow } from '../../billing/customers/customers.ts';
import { refuse } from '../../lib/errors.ts';
import { html, type Html } from '../../lib/html.ts';
import { createFormats, type Formats, type Language } from '../../lib/language.ts';
import type { PortalSessionRow } from '../../access/portal/sessions.ts';
import type { PortalSettings } from '../../storage/model/common.ts';
import { findSubscription, type SubscriptionRow } from '../../billing/subscriptions/subscriptions.ts';
import type { TenantScope } from '../../tenancy/tenantScope.ts';
import { renderNotice, renderToken, type PageContent } from '../shared/components.ts';
import { readToken, writeToken } from '../shared/csrf.ts';
import { setPageHeaders, type PageNeeds } from '../shared/headers.ts';
import type { Notice, PortalTexts, Problem } from './texts/types.ts';

export interface PortalVisit {
  tenant: TenantScope;
  settings: PortalSettings;
  /** The name of the seller. */
  seller: string;
  /** The path prefix of this server's public URL. */
  root: string;
  /** The path of the portal: `/portal/acme`. */
  base: string;
  /** The service's time: sessions do not follow a test tenant's clock. */
  now: string;
  /** The network that the request comes from. */
  network: string;
  params: Record<string, string>;
  query: URLSearchParams;
  form: URLSearchParams;
  language: Language;
  texts: PortalTexts;
  formats: Formats;
  /** Sends a page. */
  send: (page: PageContent, status?: number) => FastifyReply;
  redirect: (path: string) => FastifyReply;
  reply: FastifyReply;
}

/** The request of a customer who has signed in. */
export interface CustomerVisit extends PortalVisit {
  session: PortalSessionRow;
  customer: CustomerRow;
}

/** Chooses the words and formats of a visit. */
export const chooseFormats = (language: Language, { record }: TenantScope): Formats =>
  createFormats(language, record.timezone);

/** Returns the token of a form; `formId` is its path below the portal, and what else it is bound to. */
export const writeFormToken = (
  { tenant, session, now }: CustomerVisit,
  formId: string,
  shownMinor = 0n,
): string => {
  const owner = { page: 'portal', id: `${session.id}|${formId}` } as const;
  return writeToken(tenant.record.cursorSecret, owner, { shownMinor }, Date.parse(now));
};

/** Returns the amount that the form's page showed, in minor units; undefined if the token is not that of the form. */
export function readFormToken(
  { tenant, session, now, form }: CustomerVisit,
  formId: string,
): bigint | undefined {
  const owner = { page: 'portal', id: `${session.id}|${formId}` } as const;
  return readToken(tenant.record.cursorSecret, owner, form.get('token'), Date.parse(now))?.shownMinor;
}

/** Renders a form of one button. */
export const renderAction = (
  visit: CustomerVisit,
  path: string,
  label: string | Html,
  options: { style?: 'quiet' | 'second' | 'bad'; label?: string } = {},
): Html =>
  html`<form method="post" action="${visit.base}/${path}">
    ${renderToken(writeFormToken(visit, path))}
    <button
      ${options.style && html`class="${options.style}"`}
      ${options.label && html`aria-label="${options.label}"`}
    >
      ${label}
    </button>
  </form> `;

/** A page of the portal below its menu. */
interface PortalPage {
  title: string;
  content: Html | Html[];
  /** Why the last request was refused. */
  problem?: string;
  status?: number;
  /** The entry of the menu that is open. */
  at?: MenuEntry;
  hasHeadline?: true;
  /** What the page loads from elsewhere; no other page may. */
  needs?: PageNeeds;
}

type MenuEntry = 'subscriptions' | 'methods' | 'invoices' | 'details';

const menu: [entry: MenuEntry, path: string, isOn: (settings: PortalSettings) => boolean][] = [
  ['subscriptions', '', () => true],
  ['methods', '/payment-methods', ({ paymentMethods }) => paymentMethods],
  ['invoices', '/invoices', ({ invoices }) => invoices],
  ['details', '/details', ({ details }) => details],
];

/** Sets the headers of a page. Browsers name the origin of forms on pages with this policy; no other site learns the address. */
export function setPortalHeaders(reply: FastifyReply, needs?: PageNeeds): void {
  setPageHeaders(reply, needs);
  void reply.header('referrer-policy', 'same-origin');
}

/** Sends a page with the menu, and with the message about the last request. */
export function sendPortalPage(visit: CustomerVisit, page: PortalPage): FastifyReply {
  const { texts, query, settings } = visit;
  const { title, content, problem, status, at, needs } = page;
  if (needs) setPortalHeaders(visit.reply, needs);
  const done = query.get('done') ?? '';
  const notice =
    problem === undefined && Object.hasOwn(texts.notices, done) ? texts.notices[done as Notice] : undefined;
  const top = html`<a class="skip" href="#content">${texts.skip}</a>
    ${renderMenu(visit, at)}
    <h1 id="content" tabindex="-1">${title}</h1>
    ${settings.headline !== null && page.hasHeadline ? html`<p class="soft"><bdi>${settings.headline}</bdi></p> ` : undefined}
    ${notice === undefined ? undefined : html`<p class="notice good" role="status">${notice}</p> `}
    ${problem === undefined ? undefined : renderNotice(html`${problem}`)}`;
  return visit.send({ title, content: html`${top}${content}${renderFoot(visit)}` }, status);
}

const renderMenu = ({ base, texts, settings }: CustomerVisit, at: MenuEntry | undefined): Html =>
  html`<nav class="menu" aria-label="${texts.menu}">
    <ul>
      ${menu
        .filter(([, , isOn]) => isOn(settings))
        .map(
          ([entry, path]) =>
            html`<li>
              <a href="${base}${path}" ${entry === at ? html`aria-current="page"` : undefined}
                >${texts[entry === 'methods' ? 'payment' : entry]}</a
              >
            </li> `,
        )}
    </ul>
  </nav> `;

function renderFoot(visit: CustomerVisit): Html {
  const { base, texts, session, settings, seller } = visit;
  const returnUrl = session.returnUrl ?? settings.returnUrl;
  return html`<div class="foot">
    ${returnUrl === null ? undefined : html`<a href="${returnUrl}"><bdi>${texts.backToSite(seller)}</bdi></a> `}
    ${session.linkHash === null ? html`<a href="${base}/accounts">${texts.switchAccount}</a> ` : undefined}
    ${renderAction(visit, 'sign-out', texts.signOut, { style: 'quiet' })}
  </div> `;
}

/** Redirects to a page of the portal, which shows a notice. */
export const redirectDone = (visit: PortalVisit, path: string, notice: Notice): FastifyReply =>
  visit.redirect(`${visit.base}${path}${path.includes('?') ? '&' : '?'}done=${notice}`);

/** Returns the subscription of the path. Error: `subscription_not_found`, also for that of another customer. */
export const findOwnSubscription = ({ tenant, customer, params }: CustomerVisit): Promise<SubscriptionRow> =>
  findSubscription(tenant.read, params['id']!, customer.id);

/** Fails like an address that does not exist. */
export const refusePage = (): never => refuse('route_not_found');

/** Returns the sentence about a problem. */
export const describeProblem = ({ texts }: PortalVisit, problem: Problem): string => texts.problems[problem];
