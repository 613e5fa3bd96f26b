import { createHash } from 'node:crypto';
import { html, type Html } from './html.ts';
import { style } from './style.ts';

const styleHash = createHash('sha256').update(style).digest('hex').slice(0, 16);

/** Where the stylesheet is served; the address names its content, so that browsers may keep it for good. */
export const stylePath = `/pay/assets/${styleHash}/pay.css`;

export interface CheckoutPage {
  title: string;
  /** Who sells, where that is known. */
  seller?: string;
  isTest?: boolean;
  content: Html;
  /** Where the browser goes of its own accord, and after how many seconds. */
  refresh?: { afterSeconds: number; url: string };
}

/** A whole page of HTML; `base` is the path under which browsers reach the server. */
export function layout(base: string, { title, seller, isTest, content, refresh }: CheckoutPage): string {
  return html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="robots" content="noindex" />
        <meta name="color-scheme" content="light dark" />
        ${refresh && html`<meta http-equiv="refresh" content="${String(refresh.afterSeconds)}; url=${refresh.url}" />`}
        <title>${title}${seller && ` · ${seller}`}</title>
        <link rel="stylesheet" href="${base}${stylePath}" />
      </head>
      <body>
        <main>
          ${seller && html`<p class="seller"><bdi>${seller}</bdi>${isTest ? html`<span class="test">Test: no money moves</span>` : undefined}</p>`}
          ${content}
        </main>
      </body>
    </html> `.html;
}

/** The Content-Security-Policy of a page whose forms lead to this server, and from there to addresses of the schemes. */
export function contentSecurityPolicy(schemes: string[]): string {
  // Chromium holds every redirect that follows a form against form-action, also those that a receipt's own site
  // makes on the way (to another host, to https): hosts cannot be named, or who has paid would land nowhere.
  const formAction = ["'self'", ...new Set(schemes)].join(' ');
  return [
    "default-src 'none'",
    "style-src 'self'",
    `form-action ${formAction}`,
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ].join('; ');
}
