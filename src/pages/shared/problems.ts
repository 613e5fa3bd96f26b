/** Pages that show an error. */
import type { BillingError } from '../../lib/errors.ts';
import { html } from '../../lib/html.ts';
import type { Language } from '../../lib/language.ts';
import { buildPage, type PageContent } from './components.ts';
import { pageTexts, type PageTexts } from './texts.ts';

const texts: Partial<Record<BillingError['reason'], [title: keyof PageTexts, message: keyof PageTexts]>> = {
  rate_limited: ['tooMany', 'tooManyText'],
  unavailable: ['tryLater', 'tryLaterText'],
  request_too_large: ['notSent', 'formTooLarge'],
  unsupported_media_type: ['notSent', 'formOfPage'],
};

/** Renders an error. `own` is the title and the message of an error that belongs to the page. */
export function renderProblem(
  language: Language,
  error: BillingError,
  own?: readonly [title: string, message: string],
): PageContent {
  const [title, message] = texts[error.reason] ?? ['notSent'];
  const shared = pageTexts[language];
  const [shownTitle, shownMessage] = own ?? [
    shared[title],
    message === undefined ? error.message : shared[message],
  ];
  return buildPage(shownTitle, undefined, html`<p>${shownMessage}</p> `);
}
