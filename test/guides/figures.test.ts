/** Pages list what the code declares, and state a figure once. */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { isObjectType } from 'graphql';
import { expect, it } from 'vitest';
import { schema } from '../../src/app/schema.ts';
import { findSource } from '../../src/graphql/derivedTypes.ts';
import { findWork } from '../../src/graphql/work.ts';
import { root } from '../sourceFiles.ts';

const read = (page: string) => readFileSync(path.join(root, page), 'utf8');

/** The cells of the table whose heading begins with a text. */
function readTable(page: string, heading: string): string[][] {
  const [, ...lines] = read(page).split(`\n| ${heading}`)[1]!.split('\n\n')[0]!.split('\n').slice(1);
  expect(lines.length).toBeGreaterThan(0);
  return lines.map((line) =>
    line
      .split('|')
      .slice(1, -1)
      .map((cell) => cell.trim()),
  );
}

it('docs/limits.md has the cost of every field that declares work', () => {
  const declared = Object.values(schema.getTypeMap())
    .filter(isObjectType)
    // Fields of derived types cost what those of their sources do.
    .filter((type) => findSource(type) === undefined)
    .flatMap((type) =>
      Object.values(type.getFields()).flatMap((field) => {
        const { cost = 0, with: argument } = findWork(field) ?? {};
        if (cost === 0) return [];
        if (field.name === 'totalCount') return [`totalCount ${cost}`];
        const owner = ['Query', 'Mutation'].includes(type.name) ? '' : `${type.name}.`;
        return [`${owner}${field.name}${argument ? `(${argument}:)` : ''} ${cost}`];
      }),
    );
  const listed = readTable('docs/limits.md', 'Fields').flatMap(([fields, cost]) =>
    [...fields!.matchAll(/`([^`]+)`/g)].map(([, field]) => `${field} ${cost!.replaceAll(',', '')}`),
  );
  expect(listed.toSorted()).toEqual([...new Set(declared)].toSorted());
});

it('the rate of renewals on PostgreSQL is that of the latest run', () => {
  const [, rate] = /^\| `perennial bill` [^|]*\| ([\d,]+)\/s/m.exec(read('docs/operations/scaling.md'))!;
  const run = readTable('docs/performance.md', 'renewals  ');
  expect(run.find(([server]) => server === 'perennial-postgres')![1]).toBe(rate);
});
