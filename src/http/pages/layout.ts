/** The frame of every page that a tenant's customers see. */
import { createHash } from 'node:crypto';
import { html, type Html } from '../../lib/html.ts';
import { getDirection, languageNames, type Language } from '../../lib/language.ts';
import { style } from './style.ts';
import { pageTexts } from './texts.ts';

const styleHash = createHash('sha256').update(style).digest('hex').slice(0, 16);

/** The path of the stylesheet. It contains a hash of the content, so browsers may cache the file forever. */
export const stylePath = `/pages/${styleHash}/pages.css`;

export interface Page {
  language: Language;
  title: string;
  /** The seller, if known. */
  brand?: Brand;
  isTest?: boolean;
  content: Html;
  /** The address that the browser loads automatically, and the delay. */
  refresh?: { afterSeconds: number; url: string };
  /** The path of the page in each language, without `?lang=`; none if it has no choice of languages. */
  languagePath?: string;
}

/** What a page shows of the seller. */
interface Brand {
  name: string;
}

/** Renders a complete HTML page. `base` is the path prefix of this server's public URL. */
export function renderLayout(base: string, page: Page): string {
  const { language, title, brand, content, refresh } = page;
  return html`<!doctype html>
    <html lang="${language}" dir="${getDirection(language)}">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="robots" content="noindex" />
        <meta name="color-scheme" content="light dark" />
        ${refresh && html`<meta http-equiv="refresh" content="${String(refresh.afterSeconds)}; url=${refresh.url}" />`}
        <title>${title}${brand && ` · ${brand.name}`}</title>
        <link rel="stylesheet" href="${base}${stylePath}" />
      </head>
      <body>
        ${page.isTest ? renderTestBand(language) : undefined}
        <main>${brand && renderSeller(brand)} ${content}</main>
        ${renderFooter(page)}
      </body>
    </html> `.html;
}

function renderTestBand(language: Language): Html {
  const { test, testText } = pageTexts[language];
  return html`<p class="test"><strong>${test}</strong> ${testText}</p>`;
}

const renderSeller = ({ name }: Brand) => html`<p class="seller"><bdi>${name}</bdi></p>`;

function renderFooter({ language, languagePath }: Page): Html {
  if (languagePath === undefined) return html``;
  const languages = Object.entries(languageNames).map(([tag, name]) =>
    tag === language
      ? html`<li><span lang="${tag}" aria-current="true">${name}</span></li> `
      : html`<li><a lang="${tag}" hreflang="${tag}" href="${languagePath}?lang=${tag}">${name}</a></li> `,
  );
  return html`<footer>
    <nav aria-label="${pageTexts[language].language}">
      <ul>
        ${languages}
      </ul>
    </nav>
  </footer>`;
}
