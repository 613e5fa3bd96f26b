/** The list of events is what really happens: each is recorded in a run, and the examples and their page come from it. */
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { format, resolveConfig } from 'prettier';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { getEventName } from '../../../src/outgoing/webhooks/outbox.ts';
import { activityTypes, eventTypes } from '../../../src/tenancy/traces/eventTypes.ts';
import recorded from '../../../src/outgoing/webhooks/eventExamples.json' with { type: 'json' };
import type { TraceRow } from '../../../src/insights/activity/traces.ts';
import { buildBody, toPublicTrace } from '../../../src/outgoing/webhooks/signing.ts';
import { root } from '../../sourceFiles.ts';
import { startApp, type Client, type TestApp } from '../../support/app.ts';
import { engine } from '../../support/engines.ts';
import { everyEvent } from '../../support/everyEvent.ts';

const names = eventTypes.map(({ name }) => name);

let traces: TraceRow[];
beforeAll(async () => {
  traces = await everyEvent();
});

/** The first message of each event, as an endpoint without a query is sent it. */
function messages(): Record<string, object> {
  const found = names.map((name) => {
    const at = traces.findIndex((trace) => getEventName(trace) === name);
    const trace = traces[at]!;
    const sequence = traces.slice(0, at + 1).filter(({ tenantAlias }) => tenantAlias === trace.tenantAlias);
    return [name, JSON.parse(buildBody(trace, sequence.length, toPublicTrace(trace)))] as const;
  });
  return Object.fromEntries(found);
}

describe('the list of events', () => {
  it('has exactly the events that occur', () => {
    expect([...new Set(traces.map(getEventName))].toSorted()).toEqual(names.toSorted());
  });

  it.runIf(engine === 'sqlite')('has an example of each, recorded from this release', async () => {
    const pretty = async (file: string, text: string) =>
      format(text, { ...(await resolveConfig(file)), filepath: file });
    const examples = path.join(root, 'src/outgoing/webhooks/eventExamples.json');
    await expect(await pretty(examples, JSON.stringify(messages()))).toMatchFileSnapshot(examples);
    const page = path.join(root, 'docs/events.md');
    await expect(await pretty(page, writePage(messages()))).toMatchFileSnapshot(page);
  });
});

function writePage(examples: Record<string, object>): string {
  const sections = activityTypes.map((activityType) => {
    const own = eventTypes.filter((each) => each.activityType === activityType);
    const rows = own.map(
      ({ name, description }) =>
        `| [\`${name}\`](#${name.toLowerCase().replace('.', '')}) | ${description} |`,
    );
    const shown = own.map(
      ({ name, description }) =>
        `### ${name}\n\n${description}\n\n\`\`\`json\n${JSON.stringify(examples[name], null, 2)}\n\`\`\`\n`,
    );
    return `## ${activityType}\n\n| Event | Meaning |\n| --- | --- |\n${rows.join('\n')}\n\n${shown.join('\n')}`;
  });
  return `${introduction}\n${sections.join('\n')}`;
}

const introduction = `# Events

Every change is recorded as an event, in the transaction of the change. [Webhooks](guides/webhooks.md) and
[live subscriptions](guides/live.md) deliver events, and traces list them. A webhook filter (\`events\`) takes activity types
(\`SubscriptionEvent\`) or events (\`SubscriptionEvent.cancelled\`); other names are refused. The GraphQL query
\`eventTypes\` returns this list.

Each example is a message to an endpoint without a query, recorded by the tests; \`npm run generate:examples\` rewrites them.
With a query on the type \`Event\` a message can include related records: the subscription of a payment, the product of an
invoice, the customer of both.
`;

describe('a client', () => {
  let app: TestApp;
  let client: Client;
  beforeAll(async () => {
    app = await startApp();
    client = await app.tenant({ alias: 'acme', test: true });
  });
  afterAll(() => app.close());

  const create = `mutation ($events: [String!]) {
    createWebhookEndpoint(input: { url: "https://shop.example/hooks", events: $events }) { endpoint { id events } }
  }`;
  const update = `mutation ($id: ID!, $events: [String!]) {
    updateWebhookEndpoint(id: $id, input: { events: $events }) { id events }
  }`;

  it('reads the list with the examples, which name the event', async () => {
    const { eventTypes: listed } = await client.graphql(
      '{ eventTypes { name activityType action description example } }',
    );
    expect(listed.map(({ name }: any) => name)).toEqual(names);
    for (const { name, activityType, action, description, example } of listed) {
      expect(`${activityType}.${action}`).toBe(name);
      expect(description).not.toBe('');
      expect(example).toMatchObject({ type: name, data: { activityType, payload: { action } } });
    }
  });

  it('reads the list also where an event has no example', async () => {
    const [first] = names;
    const known = recorded as Record<string, unknown>;
    const example = known[first!];
    delete known[first!];
    try {
      const { eventTypes: listed } = await client.graphql('{ eventTypes { name example } }');
      expect(listed.map(({ name }: any) => name)).toEqual(names);
      expect(listed.filter((each: any) => each.example === null)).toEqual([{ name: first, example: null }]);
    } finally {
      known[first!] = example;
    }
  });

  it('can filter by all of them and all activity types together, in each form of a document', async () => {
    const events = [...names, ...activityTypes];
    expect(events.length).toBeGreaterThan(100);
    const { createWebhookEndpoint } = await client.graphql(create, { events });
    expect(createWebhookEndpoint.endpoint.events).toEqual(events);
    const { id } = createWebhookEndpoint.endpoint;
    const byInput =
      'mutation ($id: ID!, $input: UpdateWebhookEndpointInput!) { updateWebhookEndpoint(id: $id, input: $input) { events } }';
    const byLiteral = `mutation ($id: ID!) { updateWebhookEndpoint(id: $id, input: { events: ${JSON.stringify(events)} }) { events } }`;
    for (const [document, variables] of [
      [byInput, { id, input: { events } }],
      [byLiteral, { id }],
    ] as const)
      expect((await client.graphql(document, variables)).updateWebhookEndpoint.events).toEqual(events);
  });

  it.each([
    ['SubscriptionEvent.canceled', /Did you mean SubscriptionEvent.cancelled/],
    ['subscriptionevent.created', /Did you mean SubscriptionEvent.created/],
    ['SubscriptionEvents', /Did you mean SubscriptionEvent/],
    ['InvoiceEvent.payed', /Did you mean InvoiceEvent.paid/],
    ['SubscriptionEvent.', /listed by eventTypes/],
    ['PaymentEvent.created', /listed by eventTypes/],
    ['__proto__', /listed by eventTypes\.$/],
    ['*', /listed by eventTypes\.$/],
    ['', /listed by eventTypes\.$/],
    ['S'.repeat(60_000), /listed by eventTypes\.$/],
  ])('cannot filter by %.40s', async (event, message) => {
    const { createWebhookEndpoint } = await client.graphql(create, { events: ['InvoiceEvent.paid'] });
    const { id } = createWebhookEndpoint.endpoint;
    const before = (await client.graphql('{ webhookEndpoints(first: 100) { nodes { id } } }'))
      .webhookEndpoints;
    for (const [document, variables] of [
      [create, {}],
      [update, { id }],
    ] as const) {
      const { body } = await client.post(document, { ...variables, events: ['CustomerEvent', event] });
      expect(body.errors).toHaveLength(1);
      expect(body.errors[0].extensions).toMatchObject({
        reason: 'validation_failed',
        issues: [{ path: 'events.1', message: expect.stringMatching(message) }],
      });
    }
    const after = await client.graphql('{ webhookEndpoints(first: 100) { nodes { id events } } }');
    expect(after.webhookEndpoints.nodes).toHaveLength(before.nodes.length);
    expect(after.webhookEndpoints.nodes[0]).toEqual({ id, events: ['InvoiceEvent.paid'] });
    await client.graphql('mutation ($id: ID!) { deleteWebhookEndpoint(id: $id) { id } }', { id });
  });

  it('can filter by no more than there are, checked before they are looked up', async () => {
    const most = names.length + activityTypes.length;
    const { body } = await client.post(create, { events: Array<string>(most + 1).fill('Nonsense') });
    const { issues } = body.errors[0].extensions;
    const message = `must have at most ${most} items`;
    expect(issues).toEqual([{ path: 'events', message, code: 'too_many', limit: most }]);
  });
});

it('every event that the documentation names exists', () => {
  const docs = path.join(root, 'docs');
  const pages = readdirSync(docs, { recursive: true, encoding: 'utf8' }).filter((page) =>
    page.endsWith('.md'),
  );
  const named = pages.flatMap((page) =>
    Array.from(
      readFileSync(path.join(docs, page), 'utf8').matchAll(/\b[A-Z][A-Za-z]+Event\.[a-z_]+/g),
      ([name]) => name,
    ),
  );
  expect(new Set(named).size).toBeGreaterThan(50);
  expect(named.filter((name) => !names.includes(name))).toEqual([]);
});
