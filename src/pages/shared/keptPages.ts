/**
 * The pages that refused or continued a form. A form is always followed by a redirect, so that "Back" never asks to send it
 * again; the page of its result is kept until the browser has followed.
 */
import type { RandomBytes } from '../../lib/ids.ts';
import type { Language } from '../../lib/language.ts';
import { createToken } from '../../lib/tokens.ts';
import type { PageContent } from './components.ts';
import type { PageNeeds } from './headers.ts';

const lifetimeMs = 10 * 60 * 1000;
const mostKept = 500;

/** What a page has besides its content. */
export interface SendOptions {
  status?: number;
  /** What it loads from elsewhere, and where its forms lead. */
  needs?: PageNeeds;
  /** The address that the browser loads at once. */
  forwardTo?: string;
  /** Whether the page of a form is shown again on reload, because nothing is paid or changed with it. */
  isLasting?: boolean;
}

/** A page that is kept. */
export interface KeptPage extends SendOptions {
  content: PageContent;
  language: Language;
  /** The value of the header Retry-After. */
  retryAfter?: string;
  /** Who may see it: the payment, or the portal with the session's token. */
  owner: string;
}

export interface KeptPages {
  /** Keeps a page for ten minutes. Returns its id, which nobody can guess. */
  keep(page: KeptPage): string;
  /** Returns a page of the owner. Afterwards its address shows the present state, unless the page is lasting. */
  take(id: string, owner: string): KeptPage | undefined;
}

/** Creates the pages kept by a server. The oldest go first if there are too many. */
export function createKeptPages(randomBytes: RandomBytes, nowMs: () => number): KeptPages {
  const kept = new Map<string, { page: KeptPage; endsMs: number }>();
  return {
    keep: (page) => {
      const id = createToken(randomBytes);
      kept.set(id, { page, endsMs: nowMs() + lifetimeMs });
      if (kept.size > mostKept) kept.delete(kept.keys().next().value!);
      return id;
    },
    take: (id, owner) => {
      const found = kept.get(id);
      if (!found || found.page.owner !== owner) return undefined;
      const isOver = found.endsMs <= nowMs();
      if (isOver || !found.page.isLasting) kept.delete(id);
      return isOver ? undefined : found.page;
    },
  };
}
