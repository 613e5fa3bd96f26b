// The GraphQL reference: the operations by topic, each with an example, and the types.
import { readFileSync } from 'node:fs';
import path from 'node:path';
import {
  buildSchema,
  getNamedType,
  isEnumType,
  isInputObjectType,
  isInterfaceType,
  isObjectType,
  isScalarType,
} from 'graphql';
import { root } from '../../setup.mjs';
import { buildExample } from './examples.mjs';
import { escapeHtml, renderCode, renderTable } from './layout.mjs';

/** The topics, and the root fields that belong to each; the first that fits counts. */
const topics = [
  {
    name: 'Operators',
    pattern: /operator|passkey|password|totp|recovery|signin|signout|stepup|^signIn|oidc/i,
  },
  { name: 'Mails', pattern: /mail/i },
  { name: 'Webhooks', pattern: /webhook|deliver/i },
  { name: 'Portal', pattern: /portal/i },
  { name: 'Revenue', pattern: /revenue|cohort|mrr|paymentsToRecover/i },
  { name: 'Usage', pattern: /meter|usage/i },
  { name: 'Tax', pattern: /tax|vatId/i },
  { name: 'Discounts', pattern: /coupon|promotion|discount/i },
  { name: 'Events', pattern: /trace|event|errorReasons/i },
  { name: 'Catalogue', pattern: /product|price|group/i },
  {
    name: 'Invoices',
    pattern: /invoice|creditNote|^payment$|recordPayment|dispute|refund|numberSeries|document/i,
  },
  { name: 'Customers', pattern: /customer|credit|paymentMethod/i },
  { name: 'Subscriptions', pattern: /subscription|intent|trial|quantity|change|forecast|plan/i },
  { name: 'Tenant', pattern: /^search$|tenant|account|clock|key|^me$|node|export|import/i },
  { name: 'Further', pattern: /./ },
];

const kinds = [
  { name: 'Objects', path: 'objects', fits: (type) => isObjectType(type) || isInterfaceType(type) },
  { name: 'Inputs', path: 'inputs', fits: isInputObjectType },
  { name: 'Enums', path: 'enums', fits: isEnumType },
  { name: 'Scalars', path: 'scalars', fits: isScalarType },
];

/** Reads the schema of the repository. */
export const readSchema = () => buildSchema(readFileSync(path.join(root, 'schema.graphql'), 'utf8'));

/** Lists the root fields of a schema with their operation and topic. */
export function listOperations(schema) {
  const roots = {
    query: schema.getQueryType(),
    mutation: schema.getMutationType(),
    subscription: schema.getSubscriptionType(),
  };
  return Object.entries(roots).flatMap(([operation, type]) =>
    Object.values(type?.getFields() ?? {}).map((field) => ({
      operation,
      field,
      topic: topics.find(({ pattern }) => pattern.test(field.name)).name,
    })),
  );
}

const topicPath = (topic) => `graphql/${topic.toLowerCase()}`;

/** Returns a function that links a root field by its name. */
export function linkFields(schema) {
  const byName = new Map(listOperations(schema).map((each) => [each.field.name, each]));
  return (name) => {
    const found = byName.get(name);
    const code = `<code>${escapeHtml(name)}</code>`;
    return found ? `<a href="/docs/${topicPath(found.topic)}#${name}">${code}</a>` : code;
  };
}

/** Renders the pages of topics and types. */
export function renderGraphqlPages(schema, errors) {
  const operations = listOperations(schema);
  const used = topics.filter(({ name }) => operations.some(({ topic }) => topic === name));
  const topicPages = used.map(({ name }) => ({
    path: topicPath(name),
    title: `GraphQL: ${name}`,
    short: name,
    html: renderTopic(
      schema,
      operations.filter(({ topic }) => topic === name),
      errors,
    ),
  }));
  const types = Object.values(schema.getTypeMap())
    .filter(({ name }) => !name.startsWith('__') && !['Query', 'Mutation', 'Subscription'].includes(name))
    .toSorted((a, b) => (a.name < b.name ? -1 : 1));
  const typePages = kinds.map((kind) => ({
    path: `graphql/types/${kind.path}`,
    title: `GraphQL: ${kind.name.toLowerCase()}`,
    short: kind.name,
    html: types
      .filter(kind.fits)
      .map((type) => renderType(schema, type))
      .join('\n'),
  }));
  return [...topicPages, ...typePages];
}

const renderText = (text) =>
  (text ?? '')
    .split(/\n{2,}/)
    .filter((part) => part.trim() !== '')
    .map((part) => `<p>${renderInline(part)}</p>`)
    .join('');

const renderInline = (text) =>
  escapeHtml(text ?? '')
    .replaceAll(/`([^`]+)`/g, '<code>$1</code>')
    .replaceAll('\n', ' ');

function linkType(schema, type) {
  const named = getNamedType(type);
  const kind = kinds.find(({ fits }) => fits(named));
  const link = `<a href="/docs/graphql/types/${kind.path}#${named.name}">${named.name}</a>`;
  return `<code>${escapeHtml(String(type)).replace(named.name, link)}</code>`;
}

function renderTopic(schema, operations, errors) {
  return operations
    .map(({ operation, field }) => {
      const { document, variables } = buildExample(operation, field);
      const reasons = errors.filter(({ fields }) => fields.includes(field.name));
      return [
        `<section><h2 id="${field.name}">${field.name} <small>${operation}</small></h2>`,
        renderText(field.description),
        field.deprecationReason
          ? `<p class="note">Deprecated: ${renderInline(field.deprecationReason)}</p>`
          : '',
        `<p>Returns ${linkType(schema, field.type)}</p>`,
        field.args.length > 0
          ? renderFields(schema, `Arguments of ${field.name}`, 'Argument', field.args)
          : '',
        reasons.length > 0
          ? `<p>Errors: ${reasons.map(({ reason }) => `<a href="/docs/errors/${reason}"><code>${reason}</code></a>`).join(', ')}</p>`
          : '',
        renderCode(document, `Example of ${field.name}`),
        Object.keys(variables).length > 0
          ? renderCode(JSON.stringify(variables, null, 2), `Variables of ${field.name}`)
          : '',
        '</section>',
      ].join('\n');
    })
    .join('\n');
}

const renderFields = (schema, label, head, fields) =>
  renderTable(
    label,
    [head, 'Type', 'Meaning'],
    fields.map((field) => [
      `<code>${field.name}</code>`,
      linkType(schema, field.type),
      renderInline(field.description) +
        (field.deprecationReason ? ` <em>Deprecated: ${renderInline(field.deprecationReason)}</em>` : ''),
    ]),
  );

function renderType(schema, type) {
  const head = `<section><h2 id="${type.name}">${type.name}</h2>${renderText(type.description)}`;
  if (isScalarType(type)) return `${head}</section>`;
  const body = isEnumType(type)
    ? renderTable(
        `Values of ${type.name}`,
        ['Value', 'Meaning'],
        type.getValues().map(({ name, description }) => [`<code>${name}</code>`, renderInline(description)]),
      )
    : renderFields(schema, `Fields of ${type.name}`, 'Field', Object.values(type.getFields()));
  return `${head}${body}</section>`;
}
