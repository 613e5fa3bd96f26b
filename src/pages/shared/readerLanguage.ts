/** The language in which a browser is shown a page. */
import type { FastifyReply, FastifyRequest } from 'fastify';
import { chooseLanguage, findLanguage, readAcceptLanguage, type Language } from '../../lib/language.ts';

const cookieName = 'perennial_language';
const yearSeconds = 365 * 24 * 60 * 60;
const cookieForm = new RegExp(`(?:^|;\\s*)${cookieName}=([a-z]{2})(?:;|$)`);

type Signs = Pick<FastifyRequest, 'query' | 'headers'>;

/** Returns the language chosen in the address (`?lang=fa`), if any. */
function findChosen({ query }: Pick<FastifyRequest, 'query'>): Language | undefined {
  const { lang } = query as { lang?: unknown };
  return typeof lang === 'string' ? findLanguage(lang) : undefined;
}

/**
 * Returns the language of a page: the one chosen in its address, or on an earlier page; otherwise that of the customer's
 * `locale`; otherwise the first that the browser accepts.
 */
export function readLanguage(request: Signs, locale: string | null): Language {
  const { cookie = '', 'accept-language': accepted } = request.headers;
  const earlier = findLanguage(cookieForm.exec(cookie)?.[1]);
  return findChosen(request) ?? earlier ?? chooseLanguage(locale, accepted);
}

/**
 * Returns the locale by which the numbers of a page in a language are written: the customer's, otherwise the first of the
 * language that the browser accepts.
 */
export const findReaderLocale = (
  { headers }: Signs,
  locale: string | null,
  language: Language,
): string | undefined =>
  [locale, ...readAcceptLanguage(headers['accept-language'] ?? '')].find(
    (tag): tag is string => findLanguage(tag) === language,
  );

/** Keeps a language chosen in the address for the pages that follow, which forms and banks lead to. */
export function rememberLanguage(request: Signs, reply: FastifyReply, publicUrl: string): void {
  const chosen = findChosen(request);
  if (!chosen) return;
  const { protocol, pathname } = new URL(publicUrl);
  const secure = protocol === 'https:' ? '; Secure' : '';
  const cookie = `${cookieName}=${chosen}; Path=${pathname}; Max-Age=${yearSeconds}; HttpOnly; SameSite=Lax${secure}`;
  void reply.header('set-cookie', cookie);
}
