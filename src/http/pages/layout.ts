/** The frame of every page that a tenant's customers see. */
import { createHash } from 'node:crypto';
import { html, type Html } from '../../lib/html.ts';
import { getDirection, type Language } from '../../lib/language.ts';
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
        <main>${brand && renderSeller(page, brand)} ${content}</main>
      </body>
    </html> `.html;
}

const renderSeller = ({ language, isTest }: Page, { name }: Brand) =>
  html`<p class="seller">
    <bdi>${name}</bdi>${isTest ? html`<span class="test">${pageTexts[language].test}</span>` : undefined}
  </p>`;
