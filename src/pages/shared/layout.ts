/** The frame of every page that a tenant's customers see. */
import { html, type Html } from '../../lib/html.ts';
import { getDirection, languageNames, type Language } from '../../lib/language.ts';
import { getStylePath } from './assets.ts';
import type { Brand } from './brand.ts';
import type { Tone } from './components.ts';
import { pageTexts } from './texts.ts';

export interface Page {
  language: Language;
  title: string;
  /** The seller, if known. */
  brand?: Brand;
  isTest?: boolean;
  content: Html;
  /** The mark above the heading; none for pages without an outcome. */
  tone?: Tone;
  /** The address that the browser loads at once, such as that of the payer's bank. */
  forwardTo?: string;
  /** The path of the page in each language, without `?lang=`; none if it has no choice of languages. */
  languagePath?: string;
}

/** Renders a complete HTML page. `base` is the path prefix of this server's public URL. */
export function renderLayout(base: string, page: Page): string {
  const { language, title, brand, content, forwardTo, tone } = page;
  return html`<!doctype html>
    <html lang="${language}" dir="${getDirection(language)}">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="robots" content="noindex" />
        <meta name="color-scheme" content="light dark" />
        ${forwardTo && html`<meta http-equiv="refresh" content="0; url=${forwardTo}" />`}
        <title>${title}${brand && ` · ${brand.name}`}</title>
        <link rel="stylesheet" href="${base}${getStylePath(brand?.color)}" />
        ${brand?.favicon && html`<link rel="icon" href="${base}${brand.favicon}" />`}
      </head>
      <body>
        ${page.isTest ? renderTestBand(language) : undefined}
        <main ${tone && html`class="${tone}"`}>${brand && renderSeller(base, brand)} ${content}</main>
        ${renderFooter(page)}
      </body>
    </html> `.html;
}

function renderTestBand(language: Language): Html {
  const { test, testText } = pageTexts[language];
  return html`<header class="test"><strong>${test}</strong> ${testText}</header>`;
}

const renderSeller = (base: string, { name, logo }: Brand) =>
  html`<p class="seller">
    ${logo && html`<img src="${base}${logo}" alt="" />`}
    <bdi>${name}</bdi>
  </p>`;

function renderFooter(page: Page): Html {
  const links = renderLinks(page);
  const languages = renderLanguages(page);
  return html`<footer>${links}${languages}</footer>`;
}

/** Renders the links of the seller. They open beside the payment, which stays as it is. */
function renderLinks({ language, brand }: Page): Html | undefined {
  const { terms, privacy, support } = pageTexts[language];
  const links = [
    { label: terms, url: brand?.termsUrl },
    { label: privacy, url: brand?.privacyUrl },
    { label: support, url: brand?.supportUrl },
  ].filter(({ url }) => url !== undefined);
  if (links.length === 0) return undefined;
  return html`<ul>
    ${links.map(({ label, url }) => html`<li><a href="${url}" target="_blank" rel="noopener noreferrer">${label}</a></li> `)}
  </ul>`;
}

/** Renders the choice of the language. */
function renderLanguages({ language, languagePath }: Page): Html | undefined {
  if (languagePath === undefined) return undefined;
  const languages = Object.entries(languageNames).map(([tag, name]) =>
    tag === language
      ? html`<li><span lang="${tag}" aria-current="true">${name}</span></li> `
      : html`<li><a lang="${tag}" hreflang="${tag}" href="${languagePath}?lang=${tag}">${name}</a></li> `,
  );
  return html`<nav aria-label="${pageTexts[language].language}">
    <ul>
      ${languages}
    </ul>
  </nav>`;
}
