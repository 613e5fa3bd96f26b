/** Writes XML 1.0 documents: elements without content are left out, and the same tree gives the same text. */

import type { SchemeId } from '../storage/model/parties.ts';
export interface XmlElement {
  name: string;
  attributes: Record<string, string>;
  content: string | XmlElement[];
}

/** Characters that XML 1.0 forbids, even escaped: most control characters, lone surrogates and two noncharacters. */
const forbidden = /[^\t\n\u0020-\uD7FF\uE000-\uFFFD\u{10000}-\u{10FFFF}]/gu;

/** Removes the characters that XML forbids, and white space around the text. Returns '' for null. */
export const toXmlText = (text: string | null): string =>
  (text ?? '').replaceAll(/\r\n?/g, '\n').replaceAll(forbidden, '').trim();

/** Builds an element with text. Returns null if no text is left after cleaning. */
export function textElement(
  name: string,
  text: string | null,
  attributes: Record<string, string> = {},
): XmlElement | null {
  const content = toXmlText(text);
  return content === '' ? null : { name, attributes, content };
}

/** Builds an element with children. Returns null if it has none. */
export function parentElement(name: string, children: (XmlElement | null)[]): XmlElement | null {
  const content = children.filter((child) => child !== null);
  return content.length === 0 ? null : { name, attributes: {}, content };
}

/** Renders a document with its declaration, indented by two spaces. It is to be encoded as UTF-8. */
export const renderXml = (root: XmlElement): string =>
  `<?xml version="1.0" encoding="UTF-8"?>\n${renderElement(root, '')}`;

function renderElement({ name, attributes, content }: XmlElement, indent: string): string {
  const pairs = Object.entries(attributes).map(([key, value]) => ` ${key}="${escape(toXmlText(value))}"`);
  const start = `${indent}<${name}${pairs.join('')}>`;
  if (typeof content === 'string') return `${start}${escape(content)}</${name}>\n`;
  if (content.length === 0) return `${start}</${name}>\n`;
  return `${start}\n${content.map((child) => renderElement(child, `${indent}  `)).join('')}${indent}</${name}>\n`;
}

const entities: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };
const escape = (text: string): string => text.replaceAll(/[&<>"]/g, (character) => entities[character]!);

/** An identifier with the code of its scheme; null for none. */
export const idElement = (name: string, id: SchemeId | null | undefined): XmlElement | null =>
  id ? textElement(name, id.value, { schemeID: id.scheme }) : null;
