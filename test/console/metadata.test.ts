/** How the console edits metadata. */
import { describe, expect, it } from 'vitest';
import { buildMetadata, findEntryProblems, listEntries } from '../../src/console/billing/metadataEntries.ts';

const withProto = JSON.parse('{"__proto__":"a","2":"b"}') as Record<string, unknown>;

describe('metadata', () => {
  it.each([{}, { a: '', '': 'x' }, { 'Größe ✓': '大' }, { a: [1, { b: null }], c: null, d: 2 }, withProto])(
    'stay as they are where nothing is edited: %j',
    (metadata) => {
      const { metadata: built, repeated } = buildMetadata(listEntries(metadata));
      expect([JSON.stringify(built), repeated.size]).toEqual([JSON.stringify(metadata), 0]);
    },
  );

  it('have the text of an edited value, the last of a repeated name is reported, and empty new lines are left out', () => {
    const [first] = listEntries({ seats: 3 });
    expect(
      buildMetadata([
        { ...first!, text: '4' },
        { name: '', text: '' },
      ]),
    ).toEqual({
      metadata: { seats: '4' },
      repeated: new Set(),
    });
    expect(buildMetadata([first!, { name: 'seats', text: '' }]).repeated).toEqual(new Set(['seats']));
  });

  it.each([
    ['a.b', 'metadata.a.b', { ofValue: 'wrong' }],
    ['b', 'metadata.a.b', {}],
    ['k'.repeat(41), `metadata.${'k'.repeat(40)}…`, { ofName: 'wrong' }],
    ['k…', 'metadata.k…', { ofValue: 'wrong' }],
    ['a', 'metadata', {}],
  ])('show at the line %s what is wrong with %s', (name, path, expected) => {
    const problem = {
      reason: 'validation_failed',
      message: '',
      status: 400,
      issues: [{ path, message: 'wrong' }],
    };
    const { ofName, ofValue } = findEntryProblems({ name, text: '' }, problem);
    expect({ ofName: ofName?.message, ofValue: ofValue?.message }).toEqual(expected);
  });
});
