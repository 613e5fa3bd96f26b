/** Signing in to the portal, by a link or by a code, and signing out. */
import type { FastifyReply } from 'fastify';
import type { CustomerRow } from '../../billing/customers/customers.ts';
import { html, type Html } from '../../lib/html.ts';
import { findCustomersByEmail, redeemCode } from '../../access/portal/codes.ts';
import {
  beginSession,
  findLink,
  redeemLink,
  revokePortalSession,
  type PortalSessionRow,
} from '../../access/portal/sessions.ts';
import { createToken } from '../../lib/tokens.ts';
import type { PortalFlow } from '../../storage/model/common.ts';
import { buildPage } from '../shared/components.ts';
import { setSessionCookie } from './cookies.ts';
import {
  describeProblem,
  redirectDone,
  refusePage,
  renderAction,
  sendPortalPage,
  type CustomerVisit,
  type PortalVisit,
} from './visit.ts';

const gone = 410;

/**
 * Shows the page of a link, whose button signs in. Opening the page does not use the link up, because the scanners of mail
 * servers open links as well.
 */
export async function showLink(visit: PortalVisit): Promise<FastifyReply> {
  const { tenant, texts, brand, base, params, now } = visit;
  const token = params['token']!;
  if (!(await findLink(tenant.read, token, now))) return showUsedLink(visit);
  const content = html`<p><bdi>${visit.fill(texts.linkLead, { seller: brand.name })}</bdi></p>
    <form method="post" action="${base}/s/${token}"><button>${texts.openAccount}</button></form> `;
  return visit.send(buildPage(texts.linkTitle, undefined, content));
}

const showUsedLink = (visit: PortalVisit): FastifyReply => {
  const { texts, base } = visit;
  const content = html`<p>${texts.linkUsed}</p>
    <p><a class="button" href="${base}">${texts.signIn}</a></p> `;
  return visit.send(buildPage(texts.problemTitle, undefined, content), { status: gone });
};

/** Uses the link up and begins a session with a new token. */
export async function useLink(visit: PortalVisit): Promise<FastifyReply> {
  const { tenant, params, now } = visit;
  const sessionToken = createToken(tenant.randomBytes);
  const session = await tenant.write((unit) => redeemLink(unit, params['token']!, sessionToken, now));
  if (!session) return showUsedLink(visit);
  setCookie(visit, sessionToken, session);
  return visit.redirect(visit.base + buildFlowPath(session.flow));
}

function setCookie(visit: PortalVisit, token: string, { expiresAt }: PortalSessionRow): void {
  const seconds = Math.max(0, Math.floor((Date.parse(expiresAt) - Date.parse(visit.now)) / 1000));
  setSessionCookie(visit, token, seconds);
}

const flowPaths: Record<PortalFlow['type'], (id: string) => string> = {
  overview: () => '',
  cancel: (id) => `/subscriptions/${id}/cancel`,
  change_plan: (id) => `/subscriptions/${id}/plan`,
  payment_method: () => '/payment-methods',
  invoices: () => '/invoices',
  details: () => '/details',
};

const buildFlowPath = (flow: PortalFlow | null): string =>
  flow === null ? '' : flowPaths[flow.type](flow.subscriptionId ?? '');

/** Begins a session for a customer whose address is proved, in place of the one with the id `replaced`. */
async function signInCustomer(visit: PortalVisit, customer: CustomerRow, replaced: string): Promise<void> {
  const { tenant, now } = visit;
  const token = createToken(tenant.randomBytes);
  const session = await tenant.write(async (unit) => {
    await revokePortalSession(unit, replaced, now);
    return beginSession(unit, customer, token, now);
  });
  setCookie(visit, token, session);
}

/** Ends the session. */
export async function signOut(visit: CustomerVisit): Promise<FastifyReply> {
  const { tenant, session, now } = visit;
  await tenant.write((unit) => revokePortalSession(unit, session.id, now));
  setSessionCookie(visit, '', 0);
  return redirectDone(visit, '', 'signedOut');
}

/** Lists the customers with the address that a code has proved; a link is for one customer only. */
export async function showAccounts(visit: CustomerVisit): Promise<FastifyReply> {
  const { texts } = visit;
  const others = await listOwnAccounts(visit);
  const rows = others.map((each) =>
    renderAction(visit, `accounts/${each.id}`, html`<bdi>${nameAccount(each)}</bdi>`, { style: 'second' }),
  );
  return sendPortalPage(visit, { title: texts.chooseAccount, content: rows });
}

const nameAccount = ({ firstName, lastName, companyName, associatedId }: CustomerRow): string =>
  [`${firstName} ${lastName}`, companyName ?? associatedId].join(' · ');

async function listOwnAccounts({ tenant, session, customer }: CustomerVisit): Promise<CustomerRow[]> {
  return session.linkHash === null ? findCustomersByEmail(tenant.read, customer.email) : refusePage();
}

/** Changes to another customer with the same address, with a new session. */
export async function switchAccount(visit: CustomerVisit): Promise<FastifyReply> {
  const { session, params } = visit;
  const chosen = (await listOwnAccounts(visit)).find(({ id }) => id === params['id']) ?? refusePage();
  await signInCustomer(visit, chosen, session.id);
  return visit.redirect(visit.base);
}

/** Signs in by a code. With several customers of the address, the newest is signed in and can change to another. */
export async function useCode(visit: PortalVisit): Promise<FastifyReply> {
  const { tenant, form, now } = visit;
  const [email, code] = [form.get('email') ?? '', (form.get('code') ?? '').replace(/[\s-]/g, '')];
  const token = createToken(tenant.randomBytes);
  const begun = await tenant.write(async (unit) => {
    const customers = await redeemCode(unit, email, code, now);
    const [first] = customers;
    return first && { count: customers.length, session: await beginSession(unit, first, token, now) };
  });
  if (!begun) return showCodeForm(visit, email, describeProblem(visit, 'codeWrong'), 403);
  setCookie(visit, token, begun.session);
  return visit.redirect(begun.count > 1 ? `${visit.base}/accounts` : visit.base);
}

const toNotice = (problem: string | undefined): Html | undefined =>
  problem === undefined ? undefined : html`${problem}`;

/** The messages for visitors who have not signed in. */
const noticesBeforeSignIn = ['ordered', 'signedOut'] as const;

/** Shows the form for the e-mail address, or without a mail server how else to sign in. */
export function showSignIn(
  visit: PortalVisit,
  sendsCodes: boolean,
  problem?: string,
  status?: number,
): FastifyReply {
  const { texts, query } = visit;
  const content = sendsCodes ? renderEmailForm(visit) : html`<p>${texts.signInByLinkOnly}</p> `;
  const notice = noticesBeforeSignIn.find((each) => each === query.get('done'));
  const done = notice ? html`<p class="notice good" role="status">${texts.notices[notice]}</p> ` : html``;
  return visit.send(buildPage(texts.signIn, toNotice(problem), done, content), { status });
}

const renderEmailForm = ({ texts, base }: PortalVisit): Html =>
  html`<p>${texts.signInLead}</p>
    <form method="post" action="${base}/sign-in">
      <p class="field">
        <label for="email">${texts.email}</label>
        <input
          id="email"
          name="email"
          inputmode="email"
          autocomplete="email"
          autocapitalize="none"
          spellcheck="false"
          maxlength="254"
          required
        />
      </p>
      <button>${texts.sendCode}</button>
    </form> `;

/** Shows the form for the code. It is the same for every address. */
export function showCodeForm(
  visit: PortalVisit,
  email: string,
  problem?: string,
  status?: number,
): FastifyReply {
  const { texts, base } = visit;
  const content = html`<p>${texts.codeSent}</p>
    <form method="post" action="${base}/code">
      <input type="hidden" name="email" value="${email}" />
      <p class="field">
        <label for="code">${texts.code}</label>
        <input
          id="code"
          name="code"
          inputmode="numeric"
          autocomplete="one-time-code"
          maxlength="12"
          required
        />
      </p>
      <button>${texts.confirmCode}</button>
    </form>
    <p><a href="${base}">${texts.anotherAddress}</a></p> `;
  return visit.send(buildPage(texts.signIn, toNotice(problem), content), { status, isLasting: true });
}

/** Shows that a form came from another site, or from a page that was open for too long. */
export function showExpiredForm(visit: PortalVisit): FastifyReply {
  const { texts, base } = visit;
  const content = html`<p><a class="button" href="${base}">${texts.backToOverview}</a></p> `;
  return visit.send(buildPage(texts.problemTitle, toNotice(describeProblem(visit, 'formExpired')), content), {
    status: 403,
  });
}
