/** HTML that is safe to send: all inserted text is escaped. */
export interface Html {
  readonly html: string;
}

type Part = Html | string | undefined | readonly Part[];

const escapes: Record<string, string> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

const toHtml = (part: Part): string => {
  if (part === undefined) return '';
  if (typeof part === 'string') return part.replace(/[&<>"']/g, (character) => escapes[character]!);
  return 'html' in part ? part.html : part.map(toHtml).join('');
};

/** Builds HTML from a template. Inserted text is escaped for content and for attributes in double quotes. */
export function html(template: TemplateStringsArray, ...parts: Part[]): Html {
  return { html: template.reduce((made, text, index) => made + toHtml(parts[index - 1]) + text) };
}
