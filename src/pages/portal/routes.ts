import type { PageDeps } from '../../http/server.ts';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { isTransient, refuse, type BillingError } from '../../lib/errors.ts';
import { html } from '../../lib/html.ts';
import { refuseBadText } from '../../lib/storableText.ts';
import { issueCode } from '../../access/portal/codes.ts';
import { mayInPortal, restrictSettings } from '../../access/portal/permissions.ts';
import { findSession } from '../../access/portal/sessions.ts';
import { createCode } from '../../access/portal/tokens.ts';
import { findPortalSettings } from '../../tenants/portalSettings.ts';
import { findPortalTenant, openPortal } from '../../tenants/pageAccess.ts';
import type { Service } from '../../tenancy/service.ts';
import { buildPage } from '../shared/components.ts';
import { longFormLimitBytes, refuseOtherMethods, sendError, serveSite } from '../shared/routes.ts';
import {
  chooseReaderLanguage,
  isTrusted,
  openVisit,
  readInput,
  sendKeptPage,
  type Site,
} from '../shared/visit.ts';
import { createAttemptLimit } from '../../lib/attemptLimit.ts';
import { findMailer, queueCode } from './codeMails.ts';
import { readSessionCookie } from './cookies.ts';
import { findFormPath, portalPages, type PortalPageRoute } from './pages.ts';
import { showCodeForm, showExpiredForm, showLink, showSignIn, useCode, useLink } from './signIn.ts';
import { portalTexts } from './texts.ts';
import type { PortalTexts, Problem } from './texts.ts';
import { readFormToken, redirectDone, refusePage, type CustomerVisit, type PortalVisit } from './visit.ts';

type Handler = (visit: PortalVisit) => FastifyReply | Promise<FastifyReply>;

const address = '/portal/:alias';
const [mostCodes, mostTries, windowSeconds] = [20, 40, 600];

const portal: Site<PortalTexts> = {
  page: 'portal',
  texts: portalTexts,
  referrerPolicy: 'same-origin',
  // A form, or a page with a choice in its address, has no other address in another language.
  findLanguagePath: ({ request, query, root }, status) => {
    const hasLanguages =
      request.method === 'GET' && [...query.keys()].every((name) => name === 'lang' || name === 'done');
    return hasLanguages && status === 200 ? root + request.url.split('?')[0]! : undefined;
  },
  findFormPath: ({ base, request }) => base + findFormPath(request),
  findOwner: (visit) => `${visit.base} ${readSessionCookie(visit) ?? ''}`,
  // The same for everything that is not found.
  describeError: (language, error) => {
    const { notFoundTitle, notFound, problemTitle, problems } = portalTexts[language];
    return error.status === 404
      ? buildPage(notFoundTitle, undefined, html`<p>${notFound}</p> `)
      : buildPage(problemTitle, html`${problems[findProblem(error)]}`);
  },
};

function findProblem({ reason, status }: BillingError): Problem {
  if (status === 429) return 'tooMany';
  return isTransient(reason) ? 'unavailable' : 'notPossible';
}

/**
 * Serves the customer portal. A link or a code begins a session, whose token is in a cookie; no API key is needed. Forms
 * have a token that belongs to the session and the form. Requests are limited by IP address.
 */
export function servePortal(server: FastifyInstance, deps: PageDeps): void {
  serveSite(server, deps, portal, (scope) => {
    const add = (method: 'GET' | 'POST', path: string, handle: Handler) =>
      scope.route({
        method,
        url: address + path,
        bodyLimit: longFormLimitBytes,
        handler: async (request, reply) => {
          const visit = await openPortalVisit(deps, request, reply);
          try {
            return sendKeptPage(visit) ?? (await handle(visit));
          } catch (error) {
            return sendError(deps, portal, { error, request, reply }, visit);
          }
        },
      });
    addSignIn(scope, deps, add);
    for (const page of portalPages) add(page.method, page.path, createPageHandler(deps, page));
    for (const path of new Set(['', ...portalPages.map((page) => page.path)])) {
      const served = portalPages.filter((page) => page.path === path).map(({ method }) => method);
      if (path === '') served.push('GET');
      const allowed = [...new Set(served)].flatMap((method) =>
        method === 'GET' ? ['GET', 'HEAD'] : [method],
      );
      refuseOtherMethods(scope, address + path, allowed.join(', '));
    }
    for (const url of ['/portal', '/portal/*']) scope.get(url, () => refuse('route_not_found'));
  });
}

/** Adds the pages for visitors who have not signed in. */
function addSignIn(
  scope: FastifyInstance,
  { service }: PageDeps,
  add: (method: 'GET' | 'POST', path: string, handle: Handler) => void,
): void {
  const [countCode, countTry] = [mostCodes, mostTries].map((most) => createAttemptLimit(most, windowSeconds));
  const pending = new Set<Promise<void>>();
  scope.addHook('onClose', () => Promise.allSettled(pending).then(() => undefined));
  const hasCodes = ({ tenant, settings }: PortalVisit) =>
    settings.signInByCode && findMailer(service, tenant.record) !== undefined;
  const addForm = (path: string, handle: Handler) =>
    add('POST', path, (visit) => (isTrusted(visit) ? handle(visit) : showExpiredForm(visit)));

  add('GET', '/s/:token', showLink);
  addForm('/s/:token', useLink);
  addForm('/sign-in', (visit) => {
    if (!hasCodes(visit)) return refusePage();
    countCode!(visit.network);
    const email = visit.form.get('email') ?? '';
    // Not awaited: the time of the response tells nothing about the address.
    const work = sendCode(service, visit, email).catch((error: unknown) =>
      visit.request.log.error({ err: error }, 'a code for the portal was not sent'),
    );
    pending.add(work);
    void work.finally(() => pending.delete(work));
    return showCodeForm(visit, email.slice(0, longestEmail));
  });
  addForm('/code', (visit) => {
    if (!hasCodes(visit)) return refusePage();
    countTry!(visit.network);
    return useCode(visit);
  });
  add('GET', '', async (visit) => {
    // The payment page comes here if the portal is the receipt of an order.
    if (visit.query.get('status') === 'succeeded' && visit.query.has('intentId'))
      return redirectDone(visit, '', 'ordered');
    const signedIn = await findCustomerVisit(service, visit);
    return signedIn ? portalPages[0]!.handle(signedIn) : showSignIn(visit, hasCodes(visit));
  });
}

const longestEmail = 254;

async function sendCode(
  service: Service,
  { tenant, now, request }: PortalVisit,
  email: string,
): Promise<void> {
  const mailer = findMailer(service, tenant.record);
  if (!mailer || email.length > longestEmail || !email.includes('@')) return;
  const code = createCode(service.randomBytes);
  const acceptLanguage = request.headers['accept-language'];
  await tenant.write(async (unit) => {
    const customer = await issueCode(unit, email, code, now);
    if (customer) await queueCode(mailer, unit, tenant, customer, { code, acceptLanguage });
  });
}

/** Creates the handler of a page for customers who have signed in. */
function createPageHandler({ service }: PageDeps, page: PortalPageRoute): Handler {
  return async (visit) => {
    if (page.isOn && !page.isOn(visit.settings)) return refusePage();
    const signedIn = await findCustomerVisit(service, visit);
    if (!signedIn) return page.method === 'GET' ? visit.redirect(visit.base) : showExpiredForm(visit);
    if (page.needs && !mayInPortal(signedIn.session, page.needs)) return refusePage();
    if (page.method === 'POST') {
      const formId = page.path.slice(1).replace(/:(\w+)/g, (_, name: string) => visit.params[name]!);
      const isOwn = page.checksToken ? isTrusted(visit) : readFormToken(signedIn, formId) !== undefined;
      if (!isOwn) return showExpiredForm(visit);
    }
    return page.handle(signedIn);
  };
}

/** Reads a request. Error: `route_not_found` if the tenant does not exist or its portal is off. */
async function openPortalVisit(
  { service, publicUrl }: PageDeps,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<PortalVisit> {
  const input = readInput(request);
  const { params, query, form } = input;
  const record = await findPortalTenant(service, params['alias']!);
  if (!record) return refusePage();
  request.tenantAlias = record.alias;
  refuseBadText({ ...params, ...Object.fromEntries(query), ...Object.fromEntries(form) });
  const tenant = openPortal(service, record, request.id);
  const path = `/portal/${record.alias}`;
  const visit = openVisit(portal, { publicUrl, request, reply, input, tenant, path });
  return Object.assign(visit, { settings: findPortalSettings(record) });
}

/** Returns the visit of the customer whose session the request's cookie has; undefined if it has ended. */
async function findCustomerVisit(service: Service, visit: PortalVisit): Promise<CustomerVisit | undefined> {
  const token = readSessionCookie(visit);
  const found = token === undefined ? undefined : await findSession(visit.tenant.read, token, visit.now);
  if (!found) return undefined;
  const { customer, session } = found;
  // The visit itself changes, so that its pages have the customer's language.
  chooseReaderLanguage(visit, customer.locale);
  const tenant = openPortal(service, visit.tenant.record, visit.request.id, customer.id);
  return Object.assign(visit, found, { tenant, settings: restrictSettings(visit.settings, session) });
}
