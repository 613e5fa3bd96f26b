import { createHash } from 'node:crypto';
import { html, type Html } from '../../lib/html.ts';
import { style } from './style.ts';

const styleHash = createHash('sha256').update(style).digest('hex').slice(0, 16);

/** The path of the stylesheet. It contains a hash of the content, so browsers may cache the file forever. */
export const stylePath = `/pay/assets/${styleHash}/pay.css`;

export interface CheckoutPage {
  title: string;
  /** The name of the seller, if known. */
  seller?: string;
  isTest?: boolean;
  content: Html;
  /** The address that the browser loads automatically, and the delay. */
  refresh?: { afterSeconds: number; url: string };
}

/** Renders a complete HTML page. `base` is the path prefix of this server's public URL. */
export function renderLayout(
  base: string,
  { title, seller, isTest, content, refresh }: CheckoutPage,
): string {
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

/** Builds the Content-Security-Policy of a page. `schemes` are those of the addresses that its forms redirect to. */
export function buildContentSecurityPolicy(schemes: string[]): string {
  // Chromium applies form-action to every redirect after a form is sent, including redirects of the receipt's own
  // site (to another host, or to https). A list of hosts could therefore block the browser after the payment.
  const formAction = ["'self'", ...new Set(schemes)].join(' ');
  return [
    "default-src 'none'",
    "style-src 'self'",
    `form-action ${formAction}`,
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ].join('; ');
}
