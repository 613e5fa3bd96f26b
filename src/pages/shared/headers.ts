/** The headers of the pages: what a browser may load, and where their forms may lead. */
import type { FastifyReply } from 'fastify';

/** What a page needs beyond this server's own styles, images and forms. */
export interface PageNeeds {
  /** The schemes of the addresses that its forms redirect to: `https:`. */
  formSchemes?: string[];
  /** Origins of scripts, of frames and of connections, such as those of a payment provider. */
  scripts?: string[];
  frames?: string[];
  connections?: string[];
  /** Sources of images besides this server. */
  images?: string[];
}

/**
 * How much of an address browsers tell: the address of a payment is its capability, so they tell nothing; pages with a
 * session let them name the origin of their forms.
 */
export type ReferrerPolicy = 'no-referrer' | 'same-origin';

/** Builds the Content-Security-Policy of a page. */
function buildContentSecurityPolicy(needs: PageNeeds): string {
  const { formSchemes = [], scripts, frames, connections, images = [] } = needs;
  // Chromium applies form-action to every redirect after a form is sent, including redirects of the receipt's own
  // site (to another host, or to https). A list of hosts could therefore block the browser after the payment.
  const formAction = ["'self'", ...new Set(formSchemes)];
  const directives: [name: string, sources: string[] | undefined][] = [
    ['default-src', ["'none'"]],
    ['style-src', ["'self'"]],
    ['img-src', ["'self'", ...images]],
    ['script-src', scripts],
    ['frame-src', frames],
    ['connect-src', connections],
    ['form-action', formAction],
    ['base-uri', ["'none'"]],
    ['frame-ancestors', ["'none'"]],
  ];
  return directives
    .filter(([, sources]) => sources !== undefined && sources.length > 0)
    .map(([name, sources]) => `${name} ${sources!.join(' ')}`)
    .join('; ');
}

/** Sets the headers of a page: no other site frames it, learns its address or reads it from a cache. */
export function setPageHeaders(
  reply: FastifyReply,
  referrerPolicy: ReferrerPolicy,
  needs: PageNeeds = {},
): void {
  void reply
    .header('content-security-policy', buildContentSecurityPolicy(needs))
    .header('x-content-type-options', 'nosniff')
    .header('referrer-policy', referrerPolicy)
    .header('cache-control', 'no-store');
}
