/** Why customers cancel: recorded with the cancellation, and forgotten when it is taken back. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startApp, type TestApp } from '../../support/app.ts';
import { openBooks, type Books } from '../../support/books.ts';

let app: TestApp;
let books: Books;
beforeAll(async () => {
  app = await startApp({ rateLimitPerSecond: '10000' });
  books = await openBooks(app, '2026-01-31T09:00:00.000Z');
});
afterAll(() => app.close());

const fields = 'id status cancelAtPeriodEnd cancellationReason cancellationComment';
const cancel = async (variables: object) => {
  const document = `mutation ($id: ID!, $atPeriodEnd: Boolean, $reason: CancellationReason, $comment: String) {
    cancelSubscription(id: $id, input: { atPeriodEnd: $atPeriodEnd, reason: $reason, comment: $comment }) { ${fields} }
  }`;
  return (await books.client.post(document, variables as Record<string, unknown>)).body;
};
const subscribe = async () =>
  books.subscribe(await books.shop.customer(), await books.plan(50), 'sandbox_ok');

describe('a cancellation with a reason', () => {
  it.each([
    [true, 'too_expensive', '  Too much for us.\n', 'active', 'Too much for us.', 'cancellation_scheduled'],
    [false, 'other', '', 'cancelled', null, 'cancelled'],
    [true, null, null, 'active', null, 'cancellation_scheduled'],
  ])(
    'at the period end: %s, for %s',
    async (atPeriodEnd, reason, comment, status, expectedComment, action) => {
      const id = await subscribe();
      const { data } = await cancel({ id, atPeriodEnd, reason, comment });
      expect(data.cancelSubscription).toEqual({
        id,
        status,
        cancelAtPeriodEnd: atPeriodEnd,
        cancellationReason: reason,
        cancellationComment: expectedComment,
      });
      const { traces } = await books.client.graphql(
        `{ traces(activityType: SubscriptionEvent, first: 10) { nodes { payload } } }`,
      );
      const ended = ({ payload }: any) => payload.resourceId === id && payload.action === action;
      const { payload } = traces.nodes.find(ended);
      expect(payload.object.cancellationReason ?? null).toBe(reason);
      expect(payload.object.cancellationComment ?? null).toBe(expectedComment);
    },
  );

  it('is forgotten when it is taken back', async () => {
    const id = await subscribe();
    await cancel({ id, atPeriodEnd: true, reason: 'unused', comment: 'We moved.' });
    const document = `mutation ($id: ID!) { uncancelSubscription(id: $id) { ${fields} } }`;
    const { uncancelSubscription } = await books.client.graphql(document, { id });
    expect(uncancelSubscription).toMatchObject({ cancellationReason: null, cancellationComment: null });
  });

  it.each([
    [{ comment: 'x'.repeat(1001) }, 'comment'],
    [{ reason: 'bored' }, 'variable reason'],
  ])('is refused for %j', async (input, path) => {
    const id = await subscribe();
    const { errors } = await cancel({ id, ...input });
    const { reason, issues } = errors[0].extensions;
    expect(reason).toBe('validation_failed');
    expect(JSON.stringify([errors[0].message, issues])).toContain(path.replace('variable ', ''));
    expect((await books.subscription(id)).status).toBe('active');
  });
});
