/** The saved views of an operator: those of one list are replaced as a whole, within their limits. */
import { expect, it } from 'vitest';
import { replaceViews } from '../../../src/access/operators/savedViews.ts';
import { BillingError } from '../../../src/lib/errors.ts';

const open = { name: 'Open', query: 'status=open&columns=number,total' };
const many = (count: number) => Array.from({ length: count }, (_, nth) => ({ name: `v${nth}`, query: '' }));

it('replaces the views of one list, and keeps those of others', () => {
  const before = [
    { list: 'invoices', name: 'Old', query: '' },
    { list: 'payments', ...open },
  ];
  expect(replaceViews(before, 'invoices', [{ name: '  Open ', query: open.query }])).toEqual([
    { list: 'payments', ...open },
    { list: 'invoices', ...open },
  ]);
  expect(replaceViews(before, 'invoices', [])).toEqual([{ list: 'payments', ...open }]);
});

it.each<[list: string, views: { name: string; query: string }[], path: string]>([
  ['', [], 'list'],
  ['__proto__', [], 'list'],
  ['Invoices', [], 'list'],
  ['a'.repeat(41), [], 'list'],
  ['invoices', many(31), 'views'],
  ['invoices', [{ ...open, name: '  ' }], 'views.0.name'],
  ['invoices', [open, { ...open, name: 'x'.repeat(61) }], 'views.1.name'],
  ['invoices', [{ ...open, query: 'x'.repeat(2001) }], 'views.0.query'],
  ['invoices', [open, { ...open, name: ' Open' }], 'views.1.name'],
])('%s with %j is refused at %s', (list, views, path) => {
  let refused: unknown;
  try {
    replaceViews([], list, views);
  } catch (error) {
    refused = error;
  }
  expect(refused).toBeInstanceOf(BillingError);
  expect(refused).toMatchObject({ reason: 'validation_failed', issues: [{ path }] });
});
