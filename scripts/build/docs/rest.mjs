// The REST reference: a page for each tag of openapi.json.
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { root } from '../../setup.mjs';
import { escapeHtml, renderCode, renderTable, slugify } from './layout.mjs';

const methods = ['get', 'post', 'patch', 'put', 'delete'];

/** Reads the OpenAPI document of the repository. */
export const readOpenapi = () => JSON.parse(readFileSync(path.join(root, 'openapi.json'), 'utf8'));

/** Renders a page for each tag, and one of the schemas. */
export function renderRestPages(document) {
  const operations = Object.entries(document.paths).flatMap(([url, item]) =>
    methods.filter((method) => item[method]).map((method) => ({ url, method, ...item[method] })),
  );
  const pages = document.tags.map(({ name, description }) => ({
    path: `rest/${slugify(name)}`,
    title: `REST: ${name}`,
    short: name,
    html: [
      renderText(description),
      ...operations.filter(({ tags }) => tags.includes(name)).map((each) => renderOperation(document, each)),
    ].join('\n'),
  }));
  const schemas = Object.entries(document.components.schemas).map(
    ([name, schema]) =>
      `<section><h2 id="${name}">${name}</h2>${renderText(schema.description)}${renderFields(document, name, schema)}</section>`,
  );
  return [
    ...pages,
    { path: 'rest/schemas', title: 'REST: schemas', short: 'Schemas', html: schemas.join('\n') },
  ];
}

const renderText = (text = '') =>
  text
    .split(/\n{2,}/)
    .filter((part) => part.trim() !== '')
    .map((part) => `<p>${renderInline(part)}</p>`)
    .join('');

const renderInline = (text = '') =>
  escapeHtml(text)
    .replaceAll(/`([^`]+)`/g, '<code>$1</code>')
    .replaceAll('\n', ' ');

/** Follows a reference within the document. */
const resolve = (document, value) =>
  value?.$ref
    ? resolve(
        document,
        value.$ref
          .slice(2)
          .split('/')
          .reduce((at, key) => at[key], document),
      )
    : value;

function renderOperation(document, operation) {
  const {
    url,
    method,
    operationId,
    summary,
    description,
    parameters = [],
    requestBody,
    responses,
  } = operation;
  const given = parameters.map((each) => resolve(document, each));
  const body = resolve(document, requestBody)?.content['application/json'];
  return [
    `<section><h2 id="${operationId}">${escapeHtml(summary ?? operationId)}</h2>`,
    `<p><code class="route">${method.toUpperCase()} /api/v1${escapeHtml(url)}</code></p>`,
    renderText(description),
    operation['x-extension'] ? '<p class="note">Extends the original interface.</p>' : '',
    given.length > 0
      ? renderTable(
          `Parameters of ${operationId}`,
          ['Parameter', 'In', 'Type', 'Meaning'],
          given.map((each) => [
            renderName(each.name, each.required),
            each.in,
            renderType(each.schema),
            renderInline(each.description),
          ]),
        )
      : '',
    body
      ? `<h3 id="${operationId}-body">Body</h3>${renderFields(document, `the body of ${operationId}`, resolve(document, body.schema))}${renderExamples(document, body, `Body of ${operationId}`)}`
      : '',
    `<h3 id="${operationId}-responses">Responses</h3>`,
    ...Object.entries(responses).map(([status, each]) =>
      renderResponse(document, operationId, status, resolve(document, each)),
    ),
    renderReasons(operation['x-reasons']),
    '</section>',
  ].join('\n');
}

const renderName = (name, isRequired) =>
  `<code>${escapeHtml(name)}</code>${isRequired ? ' <em>required</em>' : ''}`;

function renderResponse(document, operationId, status, { description, content }) {
  if (!status.startsWith('2')) return '';
  const [type, body] = Object.entries(content ?? {})[0] ?? [];
  const shown = body?.schema ? ` ${renderType(body.schema)}` : '';
  return `<p><strong>${status}</strong> ${renderInline(description)}${shown || ` ${escapeHtml(type ?? '')}`}</p>${body ? renderExamples(document, body, `Response of ${operationId}`) : ''}`;
}

/** Every operation may be refused for the reasons that the page of errors lists first. */
function renderReasons(reasons = []) {
  const all = Array.isArray(reasons) ? reasons : Object.values(reasons).flat();
  if (all.length === 0) return '';
  return `<p>Errors: ${all.map((reason) => `<a href="/docs/errors/${reason}"><code>${reason}</code></a>`).join(', ')}</p>`;
}

function renderExamples(document, { example, examples = {} }, label) {
  const [first] = Object.values(examples);
  const value = example ?? resolve(document, first)?.value;
  return value === undefined
    ? ''
    : renderCode(typeof value === 'string' ? value : JSON.stringify(value, null, 2), label);
}

function renderFields(document, label, schema) {
  const { properties, required = [] } = schema ?? {};
  if (!properties)
    return schema?.enum
      ? `<p>${schema.enum.map((each) => `<code>${escapeHtml(each)}</code>`).join(', ')}</p>`
      : '';
  const rows = Object.entries(properties).map(([name, field]) => [
    renderName(name, required.includes(name)),
    renderType(field),
    renderInline(field.description ?? resolve(document, field)?.description),
  ]);
  return renderTable(`Fields of ${label}`, ['Field', 'Type', 'Meaning'], rows);
}

function renderType(schema) {
  if (!schema) return '';
  if (schema.$ref) {
    const name = schema.$ref.split('/').at(-1);
    return `<a href="/docs/rest/schemas#${name}"><code>${name}</code></a>`;
  }
  const several = schema.oneOf ?? schema.anyOf ?? schema.allOf;
  if (several) return several.map(renderType).join(' or ');
  if (schema.type === 'array') return `array of ${renderType(schema.items)}`;
  const type = [schema.type ?? 'any'].flat().join(' or ');
  const detail = schema.enum
    ? `: ${schema.enum.map(String).join(', ')}`
    : schema.format
      ? ` (${schema.format})`
      : '';
  return `<code>${escapeHtml(type + detail)}</code>`;
}
