/** Notes about customers: who writes, changes and sees them, and where they go with the customer. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startApp, type Client, type TestApp } from '../../support/app.ts';
import { signInOperator, type TestOperator } from '../../support/operators.ts';
import { createShop, type Shop } from '../../support/shop.ts';
import { page, postFromPage } from '../../access/browsers/browserApp.ts';

const createDocument = `mutation ($input: CreateCustomerNoteInput!) {
  createCustomerNote(input: $input) { id text authorId authorName createdAt updatedAt } }`;
const updateDocument =
  'mutation ($id: ID!, $input: UpdateCustomerNoteInput!) { updateCustomerNote(id: $id, input: $input) { text } }';
const deleteDocument = 'mutation ($id: ID!) { deleteCustomerNote(id: $id) { id } }';
const listDocument = `query ($customerId: ID!, $first: Int, $after: String) {
  customerNotes(customerId: $customerId, first: $first, after: $after) { nextCursor nodes { id text } } }`;

let app: TestApp;
let client: Client;
let shop: Shop;
let customer: any;
const alias = 'noted';
type Post = (query: string, variables?: object) => Promise<any>;

beforeAll(async () => {
  app = await startApp({ rateLimitPerSecond: '100000' });
  client = await app.tenant({ alias, test: true });
  shop = createShop(client, alias);
  customer = await shop.customer();
});
afterAll(() => app.close());

const by =
  (operator: TestOperator | Client): Post =>
  (query, variables) =>
    operator.post(query, variables as any);
const byKey: Post = (query, variables) => client.post(query, variables as any);
async function write(post: Post, text: string, customerId = customer.id): Promise<any> {
  const { body } = await post(createDocument, { input: { customerId, text } });
  return body.data.createCustomerNote;
}
const reasonOf = ({ body }: any) => body.errors?.[0].extensions.reason ?? 'done';

describe('notes', () => {
  it('are listed newest first, by page, with their authors', async () => {
    const { id: customerId } = await shop.customer({ associatedId: 'paged' });
    const support = await signInOperator(app, { role: 'support', tenant: alias });
    const first = await write(by(support), '  Called \u{1F600} about\nthe invoice  ', customerId);
    expect(first).toMatchObject({ text: 'Called \u{1F600} about\nthe invoice' });
    expect(first.authorId).toMatch(/^operator:opr_/);
    const second = await write(byKey, 'x'.repeat(5000), customerId);
    expect(second).toMatchObject({ authorName: null, authorId: expect.not.stringMatching(/^operator:/) });
    const listed = (await client.graphql(listDocument, { customerId, first: 1 })).customerNotes;
    expect(listed.nodes.map(({ id }: any) => id)).toEqual([second.id]);
    const rest = await client.graphql(listDocument, { customerId, after: listed.nextCursor });
    expect(rest.customerNotes.nodes.map(({ id }: any) => id)).toEqual([first.id]);
  });

  it.each([
    ['', 'must not be empty'],
    [' \n\t ', 'must not be empty'],
    ['x'.repeat(5001), 'must be at most 5000 characters'],
  ])('are refused with the text %j', async (text, message) => {
    const { id } = await write(byKey, 'Kind');
    for (const [document, variables] of [
      [createDocument, { input: { customerId: customer.id, text } }],
      [updateDocument, { id, input: { text } }],
    ] as const) {
      const { body } = await byKey(document, variables);
      expect(body.errors[0].extensions).toMatchObject({
        reason: 'validation_failed',
        issues: [{ path: 'text', message }],
      });
    }
  });

  it('are changed and deleted by their author, and by owners, admins and keys', async () => {
    const author = await signInOperator(app, { role: 'support', tenant: alias });
    const others: [string, Post, string][] = [['author', by(author), 'done']];
    for (const role of ['owner', 'admin', 'finance', 'support', 'viewer'] as const) {
      const post = by(await signInOperator(app, { role, tenant: alias }));
      others.push([role, post, role === 'owner' || role === 'admin' ? 'done' : 'permission_missing']);
    }
    others.push(['key', byKey, 'done'], ['reader', by(await app.key(alias, 'read')), 'insufficient_scope']);
    for (const [name, post, expected] of others) {
      const { id } = await write(by(author), 'Prefers mails');
      const changed = await post(updateDocument, { id, input: { text: `by ${name}` } });
      expect([name, reasonOf(changed)]).toEqual([name, expected]);
      expect([name, reasonOf(await post(deleteDocument, { id }))]).toEqual([name, expected]);
      const { body } = await byKey('query ($id: ID!) { customerNote(id: $id) { text } }', { id });
      if (expected === 'done') expect(reasonOf({ body })).toBe('customer_note_not_found');
      else expect(body.data.customerNote.text).toBe('Prefers mails');
    }
  });

  it('are never seen by the customer', async () => {
    await client.graphql(`mutation { updateTenant(input: { allowedOrigins: ["${page}"] }) { alias } }`);
    const { id } = await write(byKey, 'Is late with payments');
    const { createCustomerSession: begun } = await client.graphql(
      'mutation ($input: CreateCustomerSessionInput!) { createCustomerSession(input: $input) { token } }',
      { input: { customerId: customer.id, allow: ['update_customer'] } },
    );
    for (const [query, variables] of [
      [listDocument, { customerId: customer.id }],
      ['query ($id: ID!) { customerNote(id: $id) { text } }', { id }],
      ['query ($id: ID!) { node(id: $id) { ... on CustomerNote { text } } }', { id }],
      [createDocument, { input: { customerId: customer.id, text: 'Me' } }],
      [deleteDocument, { id }],
    ] as const) {
      const { body } = await postFromPage(app, begun.token, { query, variables });
      expect(JSON.stringify(body)).not.toContain('late with payments');
      expect(reasonOf({ body })).toBe('closed_to_browsers');
    }
  });

  it('go with a deleted customer, and an erasure removes their texts everywhere', async () => {
    const words = 'Allergic to nuts';
    const [deleted, erased] = [
      await shop.customer({ associatedId: 'deleted' }),
      await shop.customer({ associatedId: 'erased' }),
    ];
    for (const { id } of [deleted, erased]) await write(byKey, words, id);
    const gone = await write(byKey, words, erased.id);
    await client.graphql(deleteDocument, { id: gone.id });
    await client.graphql('mutation ($id: ID!) { deleteCustomer(id: $id) { id } }', { id: deleted.id });
    for (const { id } of [deleted, erased])
      await client.graphql('mutation ($id: ID!) { eraseCustomer(id: $id) { id } }', { id });
    const { committed } = app.service.store;
    const where = { tenantAlias: alias };
    const notes = await committed.select('customerNotes', { where: { ...where, customerId: erased.id } });
    expect(notes.map(({ text }) => text)).toEqual(['[erased]']);
    expect(await committed.select('customerNotes', { where: { ...where, customerId: deleted.id } })).toEqual(
      [],
    );
    const traces = await committed.select('traces', { where });
    expect(JSON.stringify(traces.map(({ payload }) => payload))).not.toContain(words);
  });
});
