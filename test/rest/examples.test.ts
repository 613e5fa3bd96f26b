/** An example of each operation, recorded from a run, and what the OpenAPI document says of tenantAlias and metadata. */
import path from 'node:path';
import { format, resolveConfig } from 'prettier';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { buildOpenapi } from '../../src/rest/openapi.ts';
import type { Route } from '../../src/rest/route.ts';
import { schema } from '../../src/app/schema.ts';
import { misfits } from '../openapi/conformance.ts';
import { root } from '../sourceFiles.ts';
import { startApp, type TestApp } from '../support/app.ts';
import { stoppedClock } from '../support/clock.ts';
import { engine } from '../support/engines.ts';
import { sameBytes } from '../support/everyEvent.ts';
import { buildRequest, restOperations } from '../support/operations.ts';
import { fillTenant } from '../support/world.ts';

const document: any = buildOpenapi(schema, { version: '1.2.3', publicUrl: 'https://billing.test' });

let app: TestApp;
const recorded: Record<string, { request: any; response?: any }> = {};
/** The status of each operation where tenantAlias is left out. */
const withoutAlias: Record<string, number> = {};
beforeAll(async () => {
  const clock = stoppedClock('2026-01-31T10:00:00.000Z');
  app = await startApp({ rateLimitPerSecond: '100000' }, { clock, randomBytes: sameBytes() });
  for (const [index, { name, route, row }] of restOperations.entries()) {
    const alias = `acme-${index}`;
    const client = await app.tenant({ alias, clock: undefined });
    const world = await fillTenant(client, alias);
    const send = async (fields: Record<string, unknown>) =>
      app.server.inject(buildRequest(route, fields, { 'api-key': client.apiKey }) as never);
    const request = withTimes({ tenantAlias: alias, ...row.call(world) });
    const { statusCode, body } = await send(request);
    expect(statusCode, `${name}: ${body}`).toBeLessThan(300);
    const example = hasExample(route) ? { request, response: JSON.parse(body) } : { request };
    recorded[name] = JSON.parse(JSON.stringify(example).replaceAll(alias, 'acme'));
    const { tenantAlias: _, ...fields } = request;
    withoutAlias[name] = (await send(fields)).statusCode;
  }
});
afterAll(() => app.close());

/** Files and tokens have no example. */
const hasExample = ({ isFile, textType }: Route) => !isFile && textType === undefined;

/** A day as the instant at which it begins, which is the form that the document names. */
const withTimes = (fields: Record<string, unknown>): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(fields).map(([name, value]) => [
      name,
      typeof value === 'string' && /^\d{4}-\d\d-\d\d$/.test(value) ? `${value}T00:00:00.000Z` : value,
    ]),
  );

it.runIf(engine === 'sqlite')('the recorded examples are up to date', async () => {
  const file = path.join(root, 'src/rest/examples.json');
  const pretty = await format(JSON.stringify(recorded), { ...(await resolveConfig(file)), filepath: file });
  await expect(pretty).toMatchFileSnapshot(file);
});

describe.each(restOperations)('$name', ({ name, route }) => {
  const operation = document.paths[route.path][route.method.toLowerCase()];
  const parameters = (operation.parameters ?? []).filter((each: any) => !each.$ref);

  it('has examples of request and response that fit their schemas', () => {
    for (const { name: parameter, required, schema: form, example } of parameters) {
      if (required) expect(example, parameter).toBeDefined();
      if (example !== undefined) expect(misfits(document, form, example)).toEqual([]);
    }
    const body = operation.requestBody?.content['application/json'];
    if (body) {
      expect(Object.keys(body.example).length).toBeGreaterThan(1);
      expect(misfits(document, body.schema, body.example)).toEqual([]);
    }
    if (!hasExample(route)) return;
    const [answer] = Object.entries<any>(operation.responses).filter(([status]) => status.startsWith('2'));
    const { schema: form, example } = answer![1].content['application/json'];
    expect(example).toBeDefined();
    expect(misfits(document, form, example)).toEqual([]);
  });

  it('requires tenantAlias only if the route does', () => {
    const body = operation.requestBody?.content['application/json'].schema;
    const parameter = parameters.find((each: any) => each.name === 'tenantAlias');
    const isRequired = parameter
      ? parameter.required === true
      : (body.required ?? []).includes('tenantAlias');
    expect(withoutAlias[name] === 400).toBe(isRequired);
    const { description } = parameter ?? body.properties.tenantAlias;
    expect(/if given/.test(description)).toBe(!isRequired);
  });
});

it('metadata of customers maps text to text, other metadata is any JSON', () => {
  const { schemas } = document.components;
  const text = { type: 'string' };
  expect(schemas.Customer.properties.metadata.additionalProperties).toEqual(text);
  for (const [at, method] of [
    ['/customers', 'post'],
    ['/customers/{customerId}', 'patch'],
  ] as const) {
    const body = document.paths[at][method].requestBody.content['application/json'].schema;
    expect(body.properties.metadata.additionalProperties).toEqual(text);
  }
  for (const other of ['Product', 'Group', 'Subscription']) {
    expect(schemas[other].properties.metadata.additionalProperties).toBe(true);
  }
});

it('the OpenAPI document has a contact', () => {
  expect(document.info.contact).toEqual({ name: expect.any(String), url: 'https://billing.test' });
});
