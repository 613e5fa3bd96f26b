/** One request of a customer's browser to the portal. */
import type { FastifyReply } from 'fastify';
import type { CustomerRow } from '../../billing/customers/customers.ts';
import { refuse } from '../../lib/errors.ts';
import { html, type Html } from '../../lib/html.ts';
import type { PortalSessionRow } from '../../access/portal/sessions.ts';
import type { PortalSettings } from '../../storage/model/common.ts';
import { findSubscription, type SubscriptionRow } from '../../billing/subscriptions/subscriptions.ts';
import { renderNotice, renderToken } from '../shared/components.ts';
import type { PageNeeds } from '../shared/headers.ts';
import { readFormToken as readToken, writeFormToken as writeToken, type Visit } from '../shared/visit.ts';
import type { Notice, PortalTexts, Problem } from './texts.ts';

/** A request to the portal of a tenant. */
export interface PortalVisit extends Visit<PortalTexts> {
  settings: PortalSettings;
}

/** The request of a customer who has signed in. */
export interface CustomerVisit extends PortalVisit {
  session: PortalSessionRow;
  customer: CustomerRow;
}

const bindForm = ({ session }: CustomerVisit, formId: string) => `${session.id}|${formId}`;

/** Returns the token of a form; `formId` is its path below the portal, and what else it is bound to. */
export const writeFormToken = (visit: CustomerVisit, formId: string, shownMinor = 0n): string =>
  writeToken(visit, bindForm(visit, formId), shownMinor);

/** Returns the amount that the form's page showed, in minor units; undefined if the token is not that of the form. */
export const readFormToken = (visit: CustomerVisit, formId: string): bigint | undefined =>
  readToken(visit, bindForm(visit, formId));

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

/** Sends a page with the menu, and with the message about the last request. */
export function sendPortalPage(visit: CustomerVisit, page: PortalPage): FastifyReply {
  const { texts, query, settings } = visit;
  const { title, content, problem, status, at, needs } = page;
  const done = query.get('done') ?? '';
  const notice =
    problem === undefined && Object.hasOwn(texts.notices, done) ? texts.notices[done as Notice] : undefined;
  const top = html`<a class="skip" href="#content">${texts.skip}</a>
    ${renderMenu(visit, at)}
    <h1 id="content" tabindex="-1">${title}</h1>
    ${settings.headline !== null && page.hasHeadline ? html`<p class="soft"><bdi>${settings.headline}</bdi></p> ` : undefined}
    ${notice === undefined ? undefined : html`<p class="notice good" role="status">${notice}</p> `}
    ${problem === undefined ? undefined : renderNotice(html`${problem}`)}`;
  return visit.send({ title, content: html`${top}${content}${renderFoot(visit)}` }, { status, needs });
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
  const { base, texts, session, settings, brand } = visit;
  const returnUrl = session.returnUrl ?? settings.returnUrl;
  return html`<div class="foot">
    ${returnUrl === null ? undefined : html`<a href="${returnUrl}"><bdi>${visit.fill(texts.backToSite, { seller: brand.name })}</bdi></a> `}
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
