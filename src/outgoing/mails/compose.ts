/** Composes mails: the wording, the facts, the merchant's looks, and the headers. */
import type { SendMailOptions } from 'nodemailer';
import { cleanLine, isolateText } from '../../documents/cleanText.ts';
import type { DocumentFile } from '../../documents/record.ts';
import { createFormats, getDirection, type Language } from '../../lib/language.ts';
import { toHeaderText, type Mailbox } from '../../lib/mailAddress.ts';
import type { Row } from '../../storage/model/rowTypes.ts';
import type { Reads } from '../../storage/store.ts';
import { findMailSettings } from '../../tenants/mailSettings.ts';
import { type MailKind } from '../../storage/model/mails.ts';
import type { MailText } from './events.ts';
import { listedFacts, type MailFacts } from './facts.ts';
import { layOutHtml, type MailContent, type MailMerchant } from './html.ts';
import { layOutText } from './plainText.ts';
import { fillPlaceholders, findWording, type MailDraft, type MailWording } from './templates.ts';
import { mailTexts } from './texts.ts';
import { writeFacts } from './writeFacts.ts';

const longestSubject = 250;
const logoId = 'logo';

/** A mail without its envelope. */
export interface ComposedMail {
  subject: string;
  html: string;
  text: string;
  /** The wording before its placeholders were filled in. */
  wording: MailWording;
}

/** What a mail is made of. */
export interface MailSource {
  kind: MailKind;
  text: MailText;
  language: Language;
  facts: Omit<MailFacts, 'merchant'>;
  /** The address of the button; null for none. */
  actionUrl: string | null;
}

/** Returns the name under which a tenant writes to its customers. */
const findMerchantName = ({ branding, seller, name }: Row<'tenants'>): string =>
  cleanLine(branding?.displayName ?? seller?.legalName ?? name);

/** Returns the logo of a tenant as an attachment that its mails show. */
export async function findLogo(reads: Reads, tenant: Row<'tenants'>): Promise<Row<'logos'> | undefined> {
  const id = tenant.seller?.logoId;
  return id ? reads.one('logos', { id }) : undefined;
}

/** Writes a logo as an image within the HTML. */
export const writeLogo = ({ contentType, base64 }: Row<'logos'>): string =>
  `data:${contentType};base64,${base64}`;

/** Composes a mail. `logo` is the source of the logo's image; a `draft` replaces the tenant's text. */
export async function composeMail(
  reads: Reads,
  tenant: Row<'tenants'>,
  source: MailSource,
  logo: string | null,
  draft?: MailDraft,
): Promise<ComposedMail> {
  const { kind, text, language, actionUrl } = source;
  const texts = mailTexts[language];
  const merchant = describeMerchant(tenant, language, logo);
  const facts = writeFacts({ ...source.facts, merchant: merchant.name }, language, tenant.timezone);
  const wording = await findWording(reads, kind, text, language, draft);
  const write = getDirection(language) === 'rtl' ? isolateText : undefined;
  const fill = (template: string) => fillPlaceholders(template, facts, write);
  const listed = listedFacts[text].flatMap((name) => {
    const fact = facts[name];
    return fact === undefined || !(name in texts.labels)
      ? []
      : [{ label: texts.labels[name as keyof typeof texts.labels], text: fact }];
  });
  const mark = tenant.test ? '[Test] ' : '';
  const content: MailContent = {
    language,
    subject: toHeaderText(mark + fillPlaceholders(wording.subject, facts)).slice(0, longestSubject),
    preheader: listed.map((fact) => fact.text).join(' · '),
    heading: fill(wording.heading),
    paragraphs: fill(wording.body)
      .split(/\n{2,}/)
      .map((paragraph) => paragraph.trim())
      .filter((paragraph) => paragraph !== ''),
    code: facts.code ?? null,
    facts: listed,
    action: actionUrl !== null && wording.action !== null ? { label: wording.action, url: actionUrl } : null,
    merchant,
  };
  return {
    subject: content.subject,
    html: layOutHtml(content, texts),
    text: layOutText(content, texts),
    wording,
  };
}

function describeMerchant(tenant: Row<'tenants'>, language: Language, logo: string | null): MailMerchant {
  const { seller, branding } = tenant;
  const { line1, line2, postalCode, city, region, country } = seller?.address ?? {};
  const lines = [
    seller?.legalName,
    line1,
    line2,
    [postalCode, city].filter(Boolean).join(' '),
    region,
    country && createFormats(language, tenant.timezone).country(country),
  ];
  return {
    name: findMerchantName(tenant),
    address: lines.flatMap((line) => (line ? [cleanLine(line)] : [])),
    color: branding?.color ?? null,
    logo,
    supportEmail: branding?.supportEmail ?? null,
    supportUrl: branding?.supportUrl ?? null,
    termsUrl: branding?.termsUrl ?? null,
    privacyUrl: branding?.privacyUrl ?? null,
  };
}

/**
 * Builds the message for the mail server. Each attempt has the same `Message-ID`. Replies of machines are not wanted
 * (RFC 3834). Names and subjects have no line ends, so they cannot add headers.
 */
export function buildMessage(
  tenant: Row<'tenants'>,
  delivery: Pick<Row<'mailDeliveries'>, 'recipient' | 'messageId' | 'createdAt' | 'kind'>,
  sender: Mailbox,
  mail: ComposedMail,
  logo: Row<'logos'> | undefined,
  attachments: DocumentFile[],
): SendMailOptions {
  const { fromName, replyTo } = findMailSettings(tenant);
  const name = toHeaderText(fromName ?? findMerchantName(tenant));
  const reply = replyTo ?? tenant.branding?.supportEmail;
  return {
    from: { name, address: sender.address },
    to: { name: '', address: delivery.recipient },
    envelope: { from: sender.address, to: [delivery.recipient] },
    ...(reply && { replyTo: { name, address: reply } }),
    messageId: delivery.messageId,
    date: new Date(delivery.createdAt),
    subject: mail.subject,
    html: mail.html,
    text: mail.text,
    headers: {
      'Auto-Submitted': 'auto-generated',
      'X-Auto-Response-Suppress': 'All',
      'Feedback-ID': `${delivery.kind}:${tenant.alias}:perennial`,
    },
    attachments: [
      ...(logo
        ? [
            {
              cid: logoId,
              filename: logo.contentType === 'image/png' ? 'logo.png' : 'logo.jpg',
              contentType: logo.contentType,
              content: Buffer.from(logo.base64, 'base64'),
              contentDisposition: 'inline' as const,
            },
          ]
        : []),
      ...attachments.map(({ fileName, contentType, bytes }) => ({
        filename: fileName,
        contentType,
        content: bytes,
      })),
    ],
    disableFileAccess: true,
    disableUrlAccess: true,
  };
}

/** The source of the logo's image in a mail that has it attached. */
export const attachedLogo = `cid:${logoId}`;
