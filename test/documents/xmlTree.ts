/** Reads XML with a parser that the program does not use, finds elements by path, and changes them. */
import { XMLBuilder, XMLParser } from 'fast-xml-parser';

export interface XmlNode {
  name: string;
  attributes: Record<string, string>;
  /** Of an element without children. */
  text: string;
  children: XmlNode[];
}

type Parsed = Record<string, unknown> & { ':@'?: Record<string, string> };

const options = {
  preserveOrder: true,
  ignoreAttributes: false,
  attributeNamePrefix: '',
  parseTagValue: false,
  parseAttributeValue: false,
  trimValues: false,
};

/** Parses a document and returns its root. */
export function readXml(xml: string): XmlNode {
  const parsed = new XMLParser({ ...options, processEntities: true }).parse(xml) as Parsed[];
  return parsed.flatMap(toNode).find(({ name }) => name !== '?xml')!;
}

function toNode(parsed: Parsed): XmlNode[] {
  const name = Object.keys(parsed).find((key) => key !== ':@' && key !== '#text');
  if (name === undefined) return [];
  const content = parsed[name] as Parsed[];
  const children = content.flatMap(toNode);
  const text =
    children.length > 0 ? '' : content.map((each) => (each['#text'] as string | undefined) ?? '').join('');
  return [{ name, attributes: parsed[':@'] ?? {}, text, children }];
}

/** Writes a tree as XML. */
export function writeXml(root: XmlNode): string {
  const toParsed = ({ name, attributes, text, children }: XmlNode): Parsed => ({
    [name]: children.length > 0 ? children.map(toParsed) : [{ '#text': text }],
    ':@': attributes,
  });
  return new XMLBuilder({ ...options, processEntities: true }).build([toParsed(root)]);
}

/** A step of a path: an element, perhaps the one whose descendant has a text or whose attribute has a value. */
const stepForm = /^([\w:]+)(?:\[([\w:/]*)(?:@(\w+))?=(\w+)\])?$/;

/** Returns the elements at a path: `cac:Party/cac:PartyTaxScheme[cac:TaxScheme/cbc:ID=VAT]/cbc:CompanyID`. */
export function findAll(node: XmlNode, path: string): XmlNode[] {
  if (path === '') return [node];
  const [step, ...rest] = path.match(/(?:[^/[]|\[[^\]]*\])+/g)!;
  const [, name, inner, attribute, value] = stepForm.exec(step)!;
  const hasValue = (child: XmlNode) =>
    value === undefined ||
    findAll(child, inner ?? '').some(
      (each) => (attribute ? each.attributes[attribute] : each.text) === value,
    );
  return node.children
    .filter((child) => child.name === name && hasValue(child))
    .flatMap((child) => findAll(child, rest.join('/')));
}
