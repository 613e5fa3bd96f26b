/** The HTML of mails: tables of 600 px and inline styles, which all mail programs understand. */
import { fitButton } from '../../lib/contrast.ts';
import { html, type Html } from '../../lib/html.ts';
import { getDirection, type Language } from '../../lib/language.ts';
import { fillText } from '../../lib/texts.ts';
import type { MailTexts } from './texts.ts';

/** A mail that is ready to be laid out. */
export interface MailContent {
  language: Language;
  subject: string;
  /** The line that inboxes show after the subject. */
  preheader: string;
  heading: string;
  paragraphs: string[];
  /** A code to be typed, shown large. */
  code: string | null;
  facts: { label: string; text: string }[];
  action: { label: string; url: string } | null;
  merchant: MailMerchant;
}

/** The merchant as its mails show it. */
export interface MailMerchant {
  name: string;
  /** The lines of the postal address. */
  address: string[];
  color: string | null;
  /** The source of the logo's image; null for the name as text. */
  logo: string | null;
  supportEmail: string | null;
  supportUrl: string | null;
  termsUrl: string | null;
  privacyUrl: string | null;
}

const standardColor = '#14663f';
const ink = { page: '#f4f5f7', card: '#ffffff', text: '#16181d', soft: '#585f6b', line: '#dfe2e7' };
const night = { page: '#0f1114', card: '#181b20', text: '#eceef2', soft: '#a4abb8', line: '#2f343d' };
const fonts =
  "font-family: system-ui, -apple-system, 'Segoe UI', Roboto, 'Noto Sans', Tahoma, Arial, sans-serif;";

const darkStyle = `
  :root { color-scheme: light dark; supported-color-schemes: light dark; }
  a { color: inherit; }
  @media (max-width: 620px) {
    .frame { width: 100% !important; }
    .card { padding: 24px 20px !important; }
  }
  @media (prefers-color-scheme: dark) {
    body, .page { background: ${night.page} !important; }
    .card { background: ${night.card} !important; border-color: ${night.line} !important; }
    .text { color: ${night.text} !important; }
    .soft { color: ${night.soft} !important; }
    .row td { border-color: ${night.line} !important; }
    .logo { background: #ffffff; padding: 6px; border-radius: 4px; }
  }`;

/** Lays a mail out as HTML. */
export function layOutHtml(content: MailContent, texts: MailTexts): string {
  const { language, preheader } = content;
  const dir = getDirection(language);
  const page = html`<!doctype html>
    <html lang="${language}" dir="${dir}">
      ${layOutHead(content.subject)}
      <body class="page" style="margin: 0; padding: 0; background: ${ink.page};">
        <div style="display: none; max-height: 0; overflow: hidden; opacity: 0;">${preheader}${fill}</div>
        <table ${table} class="page" width="100%" dir="${dir}" style="background: ${ink.page};">
          <tr>
            <td align="center" style="padding: 32px 12px;">${layOutFrame(content, texts)}</td>
          </tr>
        </table>
      </body>
    </html>`.html;
  // The indentation is that of this file.
  return page.replace(/\n\s+/g, '\n');
}

/** Tables of layout, not of data. */
const table: Html = { html: 'role="presentation" cellpadding="0" cellspacing="0" border="0"' };
/** Keeps the text of the mail out of the line that inboxes show. */
const fill: Html = { html: '&#847;&zwnj;&nbsp;'.repeat(40) };

const layOutHead = (subject: string): Html =>
  html`<head>
    <meta charset="utf-8" />
    <meta name="viewport" content="width=device-width, initial-scale=1" />
    <meta name="color-scheme" content="light dark" />
    <meta name="supported-color-schemes" content="light dark" />
    <meta name="format-detection" content="telephone=no, date=no, address=no, email=no" />
    <title>${subject}</title>
    <style>
      ${{ html: darkStyle }}
    </style>
  </head>`;

function layOutFrame(content: MailContent, texts: MailTexts): Html {
  const { language, heading, paragraphs, code, facts, merchant } = content;
  const align = getDirection(language) === 'rtl' ? 'right' : 'left';
  const card = `padding: 36px 40px; background: ${ink.card}; border: 1px solid ${ink.line}; border-radius: 8px;`;
  const title = `margin: 0 0 16px; ${fonts} font-size: 22px; line-height: 30px; font-weight: 600; color: ${ink.text};`;
  return html`<table ${table} class="frame" width="600" style="width: 600px; max-width: 600px;">
    <tr>
      <td align="${align}" style="padding: 0 4px 16px;">${layOutBrand(merchant)}</td>
    </tr>
    <tr>
      <td class="card" align="${align}" style="${{ html: card }}">
        <h1 class="text" style="${{ html: title }}">${heading}</h1>
        ${paragraphs.map(layOutParagraph)} ${layOutCode(code)} ${layOutFacts(facts, align)}
        ${layOutAction(content, texts)}
      </td>
    </tr>
    <tr>
      <td align="${align}" style="padding: 20px 4px 0;">${layOutFooter(merchant, texts)}</td>
    </tr>
  </table>`;
}

const layOutBrand = ({ name, logo }: MailMerchant): Html =>
  logo
    ? html`<img
        class="logo"
        src="${logo}"
        alt="${name}"
        height="36"
        style="display: block; height: 36px; max-width: 240px; border: 0;"
      />`
    : html`<span
        class="text"
        style="${{ html: fonts }} font-size: 17px; line-height: 24px; font-weight: 600; color: ${ink.text};"
        ><bdi>${name}</bdi></span
      >`;

const layOutParagraph = (paragraph: string): Html =>
  html`<p
    class="text"
    style="margin: 0 0 16px; ${{ html: fonts }} font-size: 15px; line-height: 24px; color: ${ink.text};"
  >
    ${paragraph.split('\n').flatMap((line, index) => (index === 0 ? [line] : [html`<br />`, line]))}
  </p>`;

const layOutCode = (code: string | null): Html | undefined =>
  code === null
    ? undefined
    : html`<p
        class="text"
        dir="ltr"
        style="margin: 8px 0 8px; text-align: center; font-family: ui-monospace, SFMono-Regular, Menlo, Consolas, monospace; font-size: 32px; line-height: 44px; font-weight: 600; letter-spacing: 6px; color: ${ink.text};"
      >
        ${code}
      </p>`;

function layOutFacts(facts: MailContent['facts'], align: string): Html | undefined {
  if (facts.length === 0) return undefined;
  const end = align === 'right' ? 'left' : 'right';
  const cell = `padding: 10px 0; border-top: 1px solid ${ink.line}; ${fonts} font-size: 14px; line-height: 20px; vertical-align: top;`;
  return html`<table ${table} width="100%" style="margin: 8px 0 8px;">
    ${facts.map(
      ({ label, text }) =>
        html`<tr class="row">
          <td
            class="soft"
            align="${align}"
            style="${{ html: cell }} color: ${ink.soft}; padding-${end}: 16px;"
          >
            ${label}
          </td>
          <td
            class="text"
            align="${end}"
            style="${{ html: cell }} color: ${ink.text}; font-variant-numeric: tabular-nums;"
          >
            <bdi>${text}</bdi>
          </td>
        </tr>`,
    )}
  </table>`;
}

function layOutAction({ action, merchant }: MailContent, { link }: MailTexts): Html | undefined {
  if (!action) return undefined;
  const { background, text } = fitButton(merchant.color ?? standardColor, ink.text);
  return html`<table ${table} style="margin: 24px 0 16px;">
      <tr>
        <td style="border-radius: 6px; background: ${background};">
          <a
            href="${action.url}"
            style="display: inline-block; padding: 12px 22px; border-radius: 6px; border: 1px solid ${text === ink.text ? ink.line : background}; ${{ html: fonts }} font-size: 15px; line-height: 20px; font-weight: 600; text-decoration: none; color: ${text};"
            >${action.label}</a
          >
        </td>
      </tr>
    </table>
    <p
      class="soft"
      style="margin: 0; ${{ html: fonts }} font-size: 12px; line-height: 18px; color: ${ink.soft};"
    >
      ${link}<br /><a
        class="soft"
        href="${action.url}"
        dir="ltr"
        style="color: ${ink.soft}; word-break: break-all;"
        >${action.url}</a
      >
    </p>`;
}

function layOutFooter(merchant: MailMerchant, texts: MailTexts): Html {
  const { name, address, supportEmail, supportUrl, termsUrl, privacyUrl } = merchant;
  const style = `margin: 0 0 8px; ${fonts} font-size: 12px; line-height: 18px; color: ${ink.soft};`;
  const anchor = (url: string, label: string) =>
    html`<a class="soft" href="${url}" style="color: ${ink.soft};">${label}</a>`;
  const support = supportEmail
    ? anchor(`mailto:${supportEmail}`, supportEmail)
    : supportUrl
      ? anchor(supportUrl, supportUrl)
      : undefined;
  const links = [
    ...(termsUrl ? [anchor(termsUrl, texts.terms)] : []),
    ...(privacyUrl ? [anchor(privacyUrl, texts.privacy)] : []),
  ];
  const parts = (style_: string, ...inner: (Html | string | (Html | string)[])[]) =>
    html`<p class="soft" style="${{ html: style_ }}">${inner}</p>`;
  return html`${support ? parts(style, texts.questions, ' ', support) : undefined}
  ${
    links.length > 0
      ? parts(
          style,
          links.flatMap((each, index) => (index === 0 ? [each] : [' · ', each])),
        )
      : undefined
  }
  ${parts(style, fillText(texts.sentBy, { merchant: name }), html`<br />`, address.join(', '))}`;
}
