import { expect } from 'vitest';
import { sell } from './steps.ts';
import type { Walk, Walks } from './walk.ts';

/** Edits the only line of metadata in the dialog that is open. */
async function write({ fill, confirm }: Walk, name: string, value: string) {
  await fill(/^Name$/, name);
  await fill(/^Value$/, value);
  await confirm('Save');
}

const readMetadata = async ({ stage }: Walk, kind: string, id: string) =>
  (await stage.client.graphql(`query ($id: ID!) { ${kind}(id: $id) { metadata } }`, { id }))[kind].metadata;

/** The metadata of records: seen, edited, refused. */
export const metadataWalks: Walks = [
  [
    'edits the metadata of a customer, and reads at the field what is refused',
    { role: 'support' },
    async (walk) => {
      const { stage, open, page, press, see, fill, confirm } = walk;
      const { id } = await stage.shop.customer({ lastName: 'Owner of data', metadata: { team: 'blue' } });
      await open(`/customers/${id}`);
      await see('blue');
      await press('Edit metadata');
      await write(walk, 'crm', 'x'.repeat(501));
      await page.locator('.field-problem', { hasText: 'must have at most 500 characters' }).waitFor();
      await fill(/^Name$/, 'team');
      await page.locator('.field-problem', { hasText: 'This name occurs twice.' }).first().waitFor();
      await write(walk, 'k'.repeat(41), '42');
      await page.locator('.field-problem', { hasText: 'must have at most 40 characters' }).waitFor();
      await write(walk, '__proto__', 'Größe ✓');
      await see('Größe ✓');
      expect(
        Object.entries(await readMetadata(walk, 'customer', id)).toSorted(([a], [b]) => (a < b ? -1 : 1)),
      ).toEqual([
        ['__proto__', 'Größe ✓'],
        ['team', 'blue'],
      ]);
      await press('Edit metadata');
      await press('Remove team');
      await press('Remove __proto__');
      await confirm('Save');
      await see('None.');
      expect(await readMetadata(walk, 'customer', id)).toEqual({});
    },
  ],
  [
    'edits the metadata of a subscription, its order, its invoice and its payment',
    {},
    async (walk) => {
      const { stage, open, press, see, page } = walk;
      const { subscriptionId, invoiceId } = await sell(stage);
      await open(`/subscriptions/${subscriptionId}`);
      await page.getByRole('heading', { name: 'Metadata of the order' }).waitFor();
      const edits = page.getByRole('button', { name: 'Edit metadata' });
      for (const [at, value] of [
        [0, 'of the contract'],
        [1, 'of the intent'],
      ] as const) {
        await edits.nth(at).click();
        await write(walk, 'note', value);
        await see(value);
      }
      await open(`/invoices/${invoiceId}`);
      await press('Edit metadata');
      await write(walk, 'note', 'of the invoice');
      await see('of the invoice');
      await press('Metadata (0)');
      await write(walk, 'note', 'of the payment');
      await page.getByRole('button', { name: 'Metadata (1)' }).waitFor();
      const { invoice, subscription } = await stage.client.graphql(
        `query ($id: ID!, $of: ID!) { invoice(id: $id) { metadata payments { metadata } }
          subscription(id: $of) { metadata paymentIntentId } }`,
        { id: invoiceId, of: subscriptionId },
      );
      expect([subscription.metadata, invoice.metadata, invoice.payments]).toEqual([
        { note: 'of the contract' },
        { note: 'of the invoice' },
        [{ metadata: { note: 'of the payment' } }],
      ]);
      expect(await readMetadata(walk, 'intent', subscription.paymentIntentId)).toEqual({
        note: 'of the intent',
      });
    },
  ],
  [
    'reads metadata without the right to change them',
    { role: 'viewer' },
    async ({ stage, open, see, page }) => {
      const { product } = await stage.shop.product({ name: 'With data', metadata: { sizes: [1, 2] } });
      await open(`/catalog/${product.id}`);
      await see('[1,2]');
      const edit = page.getByRole('button', { name: 'Edit metadata' });
      expect(await edit.getAttribute('aria-disabled')).toBe('true');
    },
  ],
];
