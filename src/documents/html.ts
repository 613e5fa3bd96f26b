/** Documents as one HTML page without scripts and without anything from other places. */
import { createHash } from 'node:crypto';
import { fillText } from '../lib/texts.ts';
import { html, type Html } from '../lib/html.ts';
import { htmlStyle } from './htmlStyle.ts';
import type { DocumentLanguage } from './language.ts';
import type { PaymentView } from './paymentView.ts';
import type { DocumentRecord } from './record.ts';
import { buildView, type DocumentView, type Fact, type LineView, type PartyView } from './view.ts';

const pageSizes = { a4: 'A4', letter: 'letter' };

/** Renders a document as a complete page. All text of the record is escaped; the page's own policy forbids scripts. */
export function renderHtml(record: DocumentRecord): string {
  const view = buildView(record);
  const { language, table, totals } = view;
  const style = `${htmlStyle}@page { size: ${pageSizes[view.paper]}; margin: 20mm; }\n`;
  const styleHash = createHash('sha256').update(style).digest('base64');
  const policy = `default-src 'none'; style-src 'sha256-${styleHash}'; img-src data:; base-uri 'none'; form-action 'none'`;
  return html`<!doctype html>
    <html lang="${language.tag}" dir="${language.direction}">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta http-equiv="Content-Security-Policy" content="${policy}" />
        <meta name="robots" content="noindex" />
        <title>${view.title}</title>
        ${{ html: `<style>${style}</style>` }}
      </head>
      <body>
        <main>
          <header>
            <div>${renderBrand(view)}</div>
            <div>
              <h1>${view.heading}</h1>
              ${renderFacts(view.facts, language)}
            </div>
          </header>
          <div class="parties">${renderParty(view.seller, language)}${renderParty(view.buyer, language)}</div>
          <p class="summary">${view.summary}</p>
          <table class="lines">
            <caption>
              ${table.caption}
            </caption>
            ${renderHead(view)}
            <tbody>
              ${table.lines.map((line) => renderLine(line, view))}
            </tbody>
          </table>
          <table class="totals">
            <caption>
              ${language.texts.totals}
            </caption>
            <tbody>
              ${totals.map(
                ({ label, amount, weight }) =>
                  html`<tr class="${weight}">
                    <th scope="row">${label}</th>
                    <td><bdi>${amount}</bdi></td>
                  </tr> `,
              )}
            </tbody>
          </table>
          ${view.homeTax === null ? undefined : html`<p class="home-tax">${view.homeTax}</p> `}${
            view.reasons.length > 0
              ? html`<div class="reasons">${view.reasons.map((reason) => html`<p>${reason}</p>`)}</div> `
              : undefined
          }${renderPayment(view.payment, language)}
          ${view.note === null ? undefined : html`<p class="note text" dir="auto">${view.note}</p> `}${
            view.footer === null ? undefined : html`<footer dir="auto">${view.footer}</footer> `
          }
        </main>
      </body>
    </html> `.html;
}

function renderBrand({ logo, seller, language }: DocumentView): Html {
  if (!logo) return html`<p class="brand">${isolate(seller.name, language)}</p>`;
  const source = `data:${logo.contentType};base64,${logo.base64}`;
  return html`<img
    class="logo"
    src="${source}"
    alt="${fillText(language.texts.logo, { seller: seller.name })}"
  />`;
}

const rightToLeftLetter = /[\u0590-\u08FF\uFB1D-\uFDFF\uFE70-\uFEFC]/;

/**
 * Isolates text from the text around. As in a PDF, text with letters from right to left is read so in a document of this
 * direction, also after a name in Latin letters.
 */
const isolate = (text: string, { direction }: DocumentLanguage): Html =>
  direction === 'rtl' && rightToLeftLetter.test(text)
    ? html`<bdi dir="rtl">${text}</bdi>`
    : html`<bdi>${text}</bdi>`;

const renderFacts = (facts: Fact[], language: DocumentLanguage): Html =>
  html`<dl>
    ${facts.map(
      ({ label, value }) =>
        html`<dt>${label}</dt>
          <dd>${isolate(value, language)}</dd> `,
    )}
  </dl>`;

const renderParty = ({ title, name, lines }: PartyView, language: DocumentLanguage): Html =>
  html`<section>
    <h2>${title}</h2>
    <p class="name">${isolate(name, language)}</p>
    ${lines.map((line) => html`<p>${isolate(line, language)}</p> `)}
  </section> `;

function renderHead({ table }: DocumentView): Html {
  const { description, quantity, unitPrice, tax, amount } = table.headers;
  return html`<thead>
    <tr>
      <th scope="col">${description}</th>
      <th scope="col" class="wide">${quantity}</th>
      <th scope="col" class="wide">${unitPrice}</th>
      ${tax === null ? undefined : html`<th scope="col" class="wide">${tax}</th>`}
      <th scope="col">${amount}</th>
    </tr>
  </thead>`;
}

function renderLine(line: LineView, { table, language }: DocumentView): Html {
  const { tax } = table.headers;
  const quantity = fillText(language.texts.quantityAndPrice, {
    quantity: line.quantity,
    price: line.unitPrice,
  });
  const narrow = tax === null ? quantity : `${quantity} · ${tax} ${line.tax}`;
  const taxCell = tax === null ? undefined : html`<td class="wide"><bdi>${line.tax}</bdi></td>`;
  return html`<tr class="line">
      <th scope="row">
        ${isolate(line.description, language)}${line.details.map(
          (detail) => html`<small>${isolate(detail, language)}</small>`,
        )}<small class="narrow">${narrow}</small>
      </th>
      <td class="wide"><bdi>${line.quantity}</bdi></td>
      <td class="wide"><bdi>${line.unitPrice}</bdi></td>
      ${taxCell}
      <td><bdi>${line.amount}</bdi></td>
    </tr>
    ${line.discounts.map(
      ({ label, amount }) =>
        html`<tr class="discount">
          <th scope="row">${label}</th>
          <td class="wide"></td>
          <td class="wide"></td>
          ${tax === null ? undefined : html`<td class="wide"></td>`}
          <td><bdi>${amount}</bdi></td>
        </tr> `,
    )}`;
}

function renderPayment(
  { title, sentence, facts, instructions, code }: PaymentView,
  language: DocumentLanguage,
): Html {
  return html`<section class="payment">
    <div>
      <h2>${title}</h2>
      <p>${sentence}</p>
      ${facts.length > 0 ? renderFacts(facts, language) : undefined}${
        instructions === null ? undefined : html`<p class="text" dir="auto">${instructions}</p>`
      }
    </div>
    ${code ? renderCode(code) : undefined}
  </section>`;
}

const renderCode = ({ image, swissBill, caption, description }: NonNullable<PaymentView['code']>): Html =>
  html`<figure class="${swissBill ? 'swiss' : 'sepa'}">
    <svg
      viewBox="0 0 ${String(image.size)} ${String(image.size)}"
      role="img"
      aria-label="${description}"
      shape-rendering="crispEdges"
    >
      <path d="${image.path}" />
    </svg>
    <figcaption>${caption}</figcaption>
  </figure> `;
