// A page for each reason of errors, from the tables of docs/errors.md and docs/errors-by-operation.md.
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { root } from '../../setup.mjs';
import { escapeHtml } from './layout.mjs';

const read = (file) => readFileSync(path.join(root, file), 'utf8');

/** The rows of Markdown tables whose first cell is code. */
const readRows = (text) =>
  Array.from(text.matchAll(/^\| `(\w+)` +\|(.*)\|$/gm), ([, name, rest]) => [
    name,
    ...rest.split(/(?<!\\)\|/).map((cell) => cell.trim().replaceAll('\\|', '|')),
  ]);

/** Every reason, with its status, when it occurs, what to do, and the root fields that return it. */
export function readErrors() {
  const operations = readRows(read('docs/errors-by-operation.md'));
  const [table] = read('docs/errors.md').split('## Warnings');
  return readRows(table).map(([reason, status, when, what]) => ({
    reason,
    status,
    when,
    what,
    fields: operations.filter(([, reasons]) => reasons.includes(`\`${reason}\``)).map(([field]) => field),
  }));
}

/** Inline code and links of a table's cell; the links lead to the page of the errors, which has them too. */
const renderCell = (text) =>
  escapeHtml(text)
    .replaceAll(/`([^`]+)`/g, '<code>$1</code>')
    .replaceAll(/\[([^\]]+)\]\([^)]*\)/g, '$1');

/** Renders the page of each reason, at the address to which errors link. */
export const renderErrorPages = (errors, linkField) =>
  errors.map(({ reason, status, when, what, fields }) => ({
    path: `errors/${reason}`,
    title: reason,
    isHidden: true,
    html: [
      `<p>HTTP status <strong>${status}</strong></p>`,
      `<h2 id="when">When</h2><p>${renderCell(when)}</p>`,
      `<h2 id="what-to-do">What to do</h2><p>${renderCell(what)}</p>`,
      fields.length > 0
        ? `<h2 id="operations">Operations</h2><ul class="columns">${fields.map((field) => `<li>${linkField(field)}</li>`).join('')}</ul>`
        : '',
      '<p><a href="/docs/errors">All errors</a></p>',
    ].join('\n'),
  }));

/** Links each reason in the first column of the table of errors to its page. */
export const linkReasons = (html, errors) =>
  errors.reduce(
    (text, { reason }) =>
      text.replace(
        `<td><code>${reason}</code></td>`,
        `<td><a href="/docs/errors/${reason}"><code>${reason}</code></a></td>`,
      ),
    html,
  );
