/** The requests of the README, on the demo that it describes, whose making takes half a minute. */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { listRequests, serveInProcess } from '../support/served.ts';

const root = path.join(import.meta.dirname, '../..');
const folder = mkdtempSync(path.join(tmpdir(), 'perennial-readme-'));
afterAll(() => rmSync(folder, { recursive: true }));

it('the requests in the README return the responses in the README', async () => {
  const server = serveInProcess(`sqlite:${path.join(folder, 'test.db')}`, ['--demo']);
  await server.until(/-d '.*'/, 150_000);
  const apiKey = /prn_\w+/.exec(server.said.out)![0];
  const origin = /http:\/\/localhost:\d+/.exec(server.said.out)![0];
  const readme = readFileSync(path.join(root, 'README.md'), 'utf8');
  const pairs = [
    ...readme.matchAll(/```sh\n((?:export [^\n]*\n)?curl [^`]*)```[^`]*(?:`…`[^`]*)?```json\n([^`]*)```/g),
  ];
  expect(pairs).toHaveLength(6);
  // The ids that the reader copies, by the beginning of each.
  const ids = new Map<string, string>();
  for (const [, command, answer] of pairs) {
    const copied = [...command!.matchAll(/(\w+)=(\w+_)…/g)].map(([, name, start]) => [
      name!,
      ids.get(start!)!,
    ]);
    const pasted = copied
      .reduce((text, [name, id]) => text.replace(`'$${name}'`, id!), command!)
      .replace('http://localhost:4000', origin)
      .replace('"api-key: $API_KEY"', `'api-key: ${apiKey}'`);
    const text = await (await fetch(...listRequests(pasted)[0]!)).text();
    expect(JSON.parse(text)).toEqual(withGaps(JSON.parse(answer!)));
    for (const [, id, start] of text.matchAll(/"((cus_|prod_|price_|int_)\w+)"/g))
      if (!ids.has(start!)) ids.set(start!, id!);
  }
  expect(await server.stop()).toBe(0);
});

/** An expected answer in which `…` stands for any text. */
function withGaps(value: unknown): unknown {
  if (typeof value === 'string') return expect.stringMatching(`^${value.replaceAll('…', '.+')}$`);
  if (Array.isArray(value)) return value.map(withGaps);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, withGaps(inner)]));
}
