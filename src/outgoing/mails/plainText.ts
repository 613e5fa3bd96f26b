import { getDirection } from '../../lib/language.ts';
import { fillText } from '../../lib/texts.ts';
import type { MailContent } from './html.ts';
import type { MailTexts } from './texts.ts';

/** Marks around text of unknown direction (UAX 9). */
const [isolate, popIsolate] = ['\u2068', '\u2069'];

/** Lays a mail out as plain text, with the same content as its HTML. */
export function layOutText(content: MailContent, texts: MailTexts): string {
  const { language, heading, paragraphs, code, facts, action, merchant } = content;
  const isRightToLeft = getDirection(language) === 'rtl';
  const inSentence = (text: string) => (isRightToLeft ? isolate + text + popIsolate : text);
  const { name, address, supportEmail, supportUrl, termsUrl, privacyUrl } = merchant;
  const support = supportEmail ?? supportUrl;
  const footer = [
    ...(support ? [`${texts.questions} ${support}`] : []),
    ...(termsUrl ? [`${texts.terms}: ${termsUrl}`] : []),
    ...(privacyUrl ? [`${texts.privacy}: ${privacyUrl}`] : []),
    fillText(texts.sentBy, { merchant: inSentence(name) }),
    ...(address.length > 0 ? [address.join(', ')] : []),
  ];
  const blocks = [
    heading,
    ...paragraphs,
    ...(code === null ? [] : [`    ${code}`]),
    ...(facts.length > 0 ? [facts.map(({ label, text }) => `${label}: ${inSentence(text)}`).join('\n')] : []),
    ...(action ? [`${action.label}:\n${action.url}`] : []),
    `-- \n${footer.join('\n')}`,
  ];
  return `${blocks.join('\n\n')}\n`;
}
