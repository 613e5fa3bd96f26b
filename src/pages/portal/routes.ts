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
import { findPortalTenant, openPortal } from '../../tenants/portalAccess.ts';
import type { Service } from '../../tenancy/tenants.ts';
import { buildPage } from '../shared/components.ts';
import { findBrand } from '../shared/brand.ts';
import { isSameOrigin } from '../shared/csrf.ts';
import { readLanguage, rememberLanguage } from '../shared/readerLanguage.ts';
import {
  acceptForms,
  getBasePath,
  longFormLimitBytes,
  refuseOtherMethods,
  sendPage,
} from '../shared/routes.ts';
import { createAttemptLimit } from '../../lib/attemptLimit.ts';
import { findNetwork } from '../../http/address.ts';
import { getRetryHeaders } from '../../http/retryHeaders.ts';
import { findMailer, queueCode } from './codeMails.ts';
import { readSessionCookie } from './cookies.ts';
import { portalPages, type PortalPageRoute } from './pages.ts';
import { showCodeForm, showExpiredForm, showLink, showSignIn, useCode, useLink } from './signIn.ts';
import { portalTexts } from './texts/index.ts';
import type { Problem } from './texts/types.ts';
import {
  chooseFormats,
  readFormToken,
  refusePage,
  setPortalHeaders,
  type CustomerVisit,
  type PortalVisit,
} from './visit.ts';

type Handler = (visit: PortalVisit, request: FastifyRequest) => FastifyReply | Promise<FastifyReply>;

const root = '/portal/:alias';
const [mostCodes, mostTries, windowSeconds] = [20, 40, 600];

/**
 * Serves the customer portal. A link or a code begins a session, whose token is in a cookie; no API key is needed. Forms
 * have a token that belongs to the session and the form. Requests are limited by IP address.
 */
export function servePortal(server: FastifyInstance, deps: PageDeps): void {
  void server.register((scope, _, done) => {
    acceptForms(scope, deps.limits);
    scope.addHook('onRequest', async (_request, reply) => {
      setPortalHeaders(reply);
    });
    scope.setErrorHandler((error, request, reply) => showFailure(deps, error, request, reply));
    const add = (method: 'GET' | 'POST', path: string, handle: Handler) =>
      scope.route({
        method,
        url: root + path,
        bodyLimit: longFormLimitBytes,
        handler: async (request, reply) => {
          const visit = await openVisit(deps, request, reply);
          try {
            return await handle(visit, request);
          } catch (error) {
            return showFailure(deps, error, request, reply, visit);
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
      refuseOtherMethods(scope, root + path, allowed.join(', '));
    }
    scope.get('/portal/*', () => refuse('route_not_found'));
    done();
  });
}

/** Adds the pages for visitors who have not signed in. */
function addSignIn(
  scope: FastifyInstance,
  deps: PageDeps,
  add: (method: 'GET' | 'POST', path: string, handle: Handler) => void,
): void {
  const { service } = deps;
  const [countCode, countTry] = [mostCodes, mostTries].map((most) => createAttemptLimit(most, windowSeconds));
  const pending = new Set<Promise<void>>();
  scope.addHook('onClose', () => Promise.allSettled(pending).then(() => undefined));
  const hasCodes = ({ tenant, settings }: PortalVisit) =>
    settings.signInByCode && findMailer(service, tenant.record) !== undefined;
  const addForm = (path: string, handle: Handler) =>
    add('POST', path, (visit, request) =>
      isOwnForm(request, deps) ? handle(visit, request) : showExpiredForm(visit),
    );

  add('GET', '/s/:token', showLink);
  addForm('/s/:token', (visit) => useLink(visit, deps));
  addForm('/sign-in', (visit, request) => {
    if (!hasCodes(visit)) return refusePage();
    countCode!(visit.network);
    const email = visit.form.get('email') ?? '';
    // Not awaited: the time of the response tells nothing about the address.
    const work = sendCode(service, visit, email, request.headers['accept-language']).catch((error: unknown) =>
      request.log.error({ err: error }, 'a code for the portal was not sent'),
    );
    pending.add(work);
    void work.finally(() => pending.delete(work));
    return showCodeForm(visit, email.slice(0, longestEmail));
  });
  addForm('/code', (visit) => {
    if (!hasCodes(visit)) return refusePage();
    countTry!(visit.network);
    return useCode(visit, deps);
  });
  add('GET', '', async (visit, request) => {
    const signedIn = await findCustomerVisit(deps, visit, request);
    return signedIn ? portalPages[0]!.handle(signedIn, deps) : showSignIn(visit, hasCodes(visit));
  });
}

const longestEmail = 254;

async function sendCode(
  service: Service,
  { tenant, now }: PortalVisit,
  email: string,
  acceptLanguage: string | undefined,
): Promise<void> {
  const mailer = findMailer(service, tenant.record);
  if (!mailer || email.length > longestEmail || !email.includes('@')) return;
  const code = createCode(service.dispatcher.randomBytes);
  await tenant.write(async (unit) => {
    const customer = await issueCode(unit, email, code, now);
    if (customer) await queueCode(mailer, unit, tenant, customer, { code, acceptLanguage });
  });
}

/** Creates the handler of a page for customers who have signed in. */
function createPageHandler(deps: PageDeps, page: PortalPageRoute): Handler {
  return async (visit, request) => {
    if (page.isOn && !page.isOn(visit.settings)) return refusePage();
    const signedIn = await findCustomerVisit(deps, visit, request);
    if (!signedIn) return page.method === 'GET' ? visit.redirect(visit.base) : showExpiredForm(visit);
    if (page.needs && !mayInPortal(signedIn.session, page.needs)) return refusePage();
    if (page.method === 'POST') {
      const formId = page.path.slice(1).replace(/:(\w+)/g, (_, name: string) => visit.params[name]!);
      const isTrusted =
        isOwnForm(request, deps) && (page.checksToken || readFormToken(signedIn, formId) !== undefined);
      if (!isTrusted) return showExpiredForm(visit);
    }
    return page.handle(signedIn, deps);
  };
}

/** Whether a form was sent by a page of this server. Every browser says so: by Sec-Fetch-Site or by the origin. */
function isOwnForm(request: FastifyRequest, { publicUrl }: PageDeps): boolean {
  const { origin, 'sec-fetch-site': site } = request.headers;
  if (!isSameOrigin(request, publicUrl)) return false;
  return site === 'same-origin' || (site === undefined && origin !== undefined && origin !== 'null');
}

/** Reads a request. Error: `route_not_found` if the tenant does not exist or its portal is off. */
async function openVisit(
  { service, publicUrl }: PageDeps,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<PortalVisit> {
  const params = request.params as Record<string, string>;
  const record = await findPortalTenant(service, params['alias']!);
  if (!record) return refusePage();
  request.tenantAlias = record.alias;
  const query = new URLSearchParams(request.url.split('?')[1] ?? '');
  const form = request.body instanceof URLSearchParams ? request.body : new URLSearchParams();
  refuseBadText({ ...params, ...Object.fromEntries(query), ...Object.fromEntries(form) });
  const tenant = openPortal(service, record, request.id);
  const language = readLanguage(request, null);
  const settings = findPortalSettings(record);
  const brand = findBrand(record);
  rememberLanguage(request, reply, publicUrl);
  // A form, or a page with a choice in its address, has no other address in another language.
  const hasLanguages =
    request.method === 'GET' && [...query.keys()].every((name) => name === 'lang' || name === 'done');
  const ownPath = request.url.split('?')[0]!;
  const languagePath = hasLanguages ? getBasePath(publicUrl) + ownPath : undefined;
  const visit: PortalVisit = {
    tenant,
    settings,
    seller: brand.name,
    root: getBasePath(publicUrl),
    base: `${getBasePath(publicUrl)}/portal/${record.alias}`,
    now: tenant.serviceNow(),
    network: findNetwork(request.ip),
    params,
    query,
    form,
    language,
    texts: portalTexts[language],
    formats: chooseFormats(language, tenant),
    send: ({ title, content }, status = 200) =>
      sendPage(reply, publicUrl, {
        status,
        page: {
          language: visit.language,
          title,
          content,
          brand,
          isTest: record.test,
          languagePath: status === 200 ? languagePath : undefined,
        },
      }),
    redirect: (path) => reply.redirect(path, 303),
    reply,
  };
  return visit;
}

/** Returns the visit of the customer whose session the request's cookie has; undefined if it has ended. */
async function findCustomerVisit(
  { service, publicUrl }: PageDeps,
  visit: PortalVisit,
  request: FastifyRequest,
): Promise<CustomerVisit | undefined> {
  const { tenant, base, now } = visit;
  const token = readSessionCookie(request, { alias: tenant.alias, publicUrl, base });
  const found = token === undefined ? undefined : await findSession(tenant.read, token, now);
  if (!found) return undefined;
  const { customer } = found;
  const language = readLanguage(request, customer.locale);
  const own = openPortal(service, tenant.record, request.id, customer.id);
  const words = { language, texts: portalTexts[language], formats: chooseFormats(language, own) };
  // The visit itself changes, so that its pages have the customer's language.
  const settings = restrictSettings(visit.settings, found.session);
  return Object.assign(visit, found, words, { tenant: own, settings });
}

/** Shows the page of an error: the same for everything that is not found. */
function showFailure(
  deps: PageDeps,
  error: unknown,
  request: FastifyRequest,
  reply: FastifyReply,
  visit?: PortalVisit,
): FastifyReply {
  const { publicUrl } = deps;
  const refusal = deps.toRefusal(error, request);
  const { status } = refusal;
  const language = visit?.language ?? readLanguage(request, null);
  const texts = portalTexts[language];
  void reply.headers(getRetryHeaders(refusal) ?? {});
  setPortalHeaders(reply);
  const message = describeFailure(refusal);
  const page =
    status === 404
      ? buildPage(texts.notFoundTitle, undefined, html`<p>${texts.notFound}</p> `)
      : buildPage(texts.problemTitle, html`${texts.problems[message]}`);
  if (visit) return visit.send(page, status);
  return sendPage(reply, publicUrl, { status, page: { language, ...page } });
}

function describeFailure({ reason, status }: BillingError): Problem {
  if (status === 429) return 'tooMany';
  return isTransient(reason) ? 'unavailable' : 'notPossible';
}
