/** One request of a browser to a page of a tenant: what it sent, who reads, and the answer. */
import type { FastifyReply, FastifyRequest } from 'fastify';
import { findNetwork } from '../../http/address.ts';
import { readCountry } from '../../billing/tax/locationEvidence.ts';
import type { PageDeps } from '../../http/server.ts';
import type { BillingError } from '../../lib/errors.ts';
import type { Language, Translated } from '../../lib/language.ts';
import type { TenantScope } from '../../tenancy/tenantScope.ts';
import { findBrand, type Brand } from './brand.ts';
import type { PageContent } from './components.ts';
import { isOwnForm, readToken, writeToken, type FormOwner } from './csrf.ts';
import type { KeptPage, SendOptions } from './keptPages.ts';
import { setPageHeaders, type ReferrerPolicy } from './headers.ts';
import { renderLayout, type Page } from './layout.ts';
import { findReaderLocale, readLanguage, rememberLanguage } from './readerLanguage.ts';
import { createTranslator, type Translator } from '../../lib/texts.ts';

/** Pages that belong together: those of payments, and the portal. */
export interface Site<Texts> {
  /** What the tokens of its forms belong to. */
  page: FormOwner['page'];
  texts: Translated<Texts>;
  /** With `same-origin` browsers name the origin of a form; forms without one are refused. */
  referrerPolicy: ReferrerPolicy;
  /** Returns the path of a page in each language, without `?lang=`; undefined if it has no choice of languages. */
  findLanguagePath: (visit: Visit<Texts>, status: number) => string | undefined;
  /** Returns the path of the page that has the form which was sent. */
  findFormPath: (visit: Visit<Texts>) => string;
  /** Returns who may see a page that is kept: the path of the visit, and its session if there is one. */
  findOwner: (visit: Visit<Texts>) => string;
  /** Returns the page of an error. */
  describeError: (language: Language, error: BillingError) => PageContent;
}

/** What a browser sent. */
export interface Input {
  params: Record<string, string>;
  query: URLSearchParams;
  form: URLSearchParams;
}

/** A request, and the texts in the language of its reader. */
export interface Visit<Texts> extends Translator<Texts>, Input {
  site: Site<Texts>;
  tenant: TenantScope;
  brand: Brand;
  /** The public base URL of this server. */
  publicUrl: string;
  /** The path prefix of this server's public URL. */
  root: string;
  /** The path of the payment or of the portal: `/portal/acme`. */
  base: string;
  /** The service's time: sessions and forms do not follow a test tenant's clock. */
  now: string;
  /** The network that the request comes from. */
  network: string;
  /** The country of its IP address, if the proxy reports it. */
  country: string | undefined;
  request: FastifyRequest;
  reply: FastifyReply;
  send: (content: PageContent, options?: SendOptions) => FastifyReply;
  redirect: (path: string) => FastifyReply;
}

/** Reads what a request sent. */
export const readInput = (request: FastifyRequest): Input => ({
  params: request.params as Record<string, string>,
  query: new URLSearchParams(request.url.split('?')[1] ?? ''),
  form: request.body instanceof URLSearchParams ? request.body : new URLSearchParams(),
});

/** A request whose tenant is found; `path` is that of the payment or of the portal. */
interface Opened extends Pick<PageDeps, 'publicUrl' | 'countryHeader'> {
  request: FastifyRequest;
  reply: FastifyReply;
  input?: Input;
  tenant: TenantScope;
  path: string;
}

/** Opens the visit of a request, at first in the language that the browser asks for. */
export function openVisit<Texts extends object>(site: Site<Texts>, opened: Opened): Visit<Texts> {
  const { publicUrl, countryHeader, request, reply, tenant, path, input = readInput(request) } = opened;
  const { record } = tenant;
  request.tenantAlias = tenant.alias;
  rememberLanguage(request, reply, publicUrl);
  const root = getBasePath(publicUrl);
  const brand = findBrand(record);
  const visit: Visit<Texts> = {
    ...createReaderTranslator(site, request, tenant, null),
    ...input,
    site,
    tenant,
    brand,
    publicUrl,
    root,
    base: root + path,
    now: tenant.serviceNow(),
    network: findNetwork(request.ip),
    country: countryHeader === undefined ? undefined : readCountry(request.headers[countryHeader]),
    request,
    reply,
    send: (content, options = {}) => {
      if (request.method === 'POST' && isTrusted(visit)) return keepPage(visit, content, options);
      const { status = 200, needs, forwardTo } = options;
      setPageHeaders(reply, site.referrerPolicy, needs);
      const { language } = visit;
      const languagePath = site.findLanguagePath(visit, status);
      const page = { language, ...content, brand, isTest: record.test, forwardTo, languagePath };
      return sendPage(reply, publicUrl, { status, page });
    },
    redirect: (url) => reply.redirect(url, 303),
  };
  return visit;
}

const keptParameter = 'shown';

/** Keeps the page that a form results in and leads the browser to it, so that "Back" does not ask to send the form again. */
function keepPage<Texts>(visit: Visit<Texts>, content: PageContent, options: SendOptions): FastifyReply {
  const { site, request, reply, language } = visit;
  const retryAfter = reply.getHeader('retry-after');
  // Before a redirect the header would delay the browser.
  void reply.removeHeader('retry-after');
  const page: KeptPage = { ...options, content, language, owner: site.findOwner(visit) };
  if (retryAfter !== undefined) page.retryAfter = String(retryAfter);
  const id = request.server.keptPages.keep(page);
  return visit.redirect(`${site.findFormPath(visit)}?${keptParameter}=${id}`);
}

/** Sends the page that a form resulted in, where the address names one; otherwise the address shows the present state. */
export function sendKeptPage<Texts extends object>(visit: Visit<Texts>): FastifyReply | undefined {
  const { site, request, reply, query, tenant } = visit;
  const id = query.get(keptParameter);
  if (id === null || request.method !== 'GET') return undefined;
  const kept = request.server.keptPages.take(id, site.findOwner(visit));
  if (!kept) return undefined;
  const { content, language, retryAfter, ...options } = kept;
  if (retryAfter !== undefined) void reply.header('retry-after', retryAfter);
  Object.assign(visit, createTranslator(site.texts, language, tenant.record.timezone));
  return visit.send(content, options);
}

/** Chooses the language of a known reader: the customer's `locale` is one of the signs. */
export function chooseReaderLanguage<Texts extends object>(visit: Visit<Texts>, locale: string | null): void {
  const { site, request, tenant } = visit;
  if (locale !== null) Object.assign(visit, createReaderTranslator(site, request, tenant, locale));
}

function createReaderTranslator<Texts extends object>(
  { texts }: Site<Texts>,
  request: FastifyRequest,
  { record }: TenantScope,
  locale: string | null,
): Translator<Texts> {
  const language = readLanguage(request, locale);
  return createTranslator(texts, language, record.timezone, findReaderLocale(request, locale, language));
}

/** Returns the token of a form that belongs to `id`. */
export const writeFormToken = <Texts>(
  { site: { page }, tenant, now }: Visit<Texts>,
  id: string,
  shownMinor = 0n,
): string => writeToken(tenant.record.cursorSecret, { page, id }, { shownMinor }, Date.parse(now));

/** Returns the amount that the form's page showed, in minor units; undefined unless a page of this server sent the form. */
export function readFormToken<Texts>(visit: Visit<Texts>, id: string): bigint | undefined {
  const { site, tenant, now, form } = visit;
  if (!isTrusted(visit)) return undefined;
  const owner = { page: site.page, id };
  return readToken(tenant.record.cursorSecret, owner, form.get('token'), Date.parse(now))?.shownMinor;
}

/** Returns whether a page of this server sent the form, as far as the browser reports it. */
export const isTrusted = <Texts>({ site, request, publicUrl }: Visit<Texts>): boolean =>
  isOwnForm(request, publicUrl, site.referrerPolicy);

/** Returns the path prefix of this server's public URL, without a slash at its end. */
const getBasePath = (publicUrl: string): string => new URL(publicUrl).pathname.replace(/\/+$/, '');

/** Sends a page whose headers are set. */
export const sendPage = (
  reply: FastifyReply,
  publicUrl: string,
  { status, page }: { status: number; page: Page },
): FastifyReply =>
  reply
    .code(status)
    .type('text/html; charset=utf-8')
    .send(renderLayout(getBasePath(publicUrl), page));
