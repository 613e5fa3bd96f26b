/**
 * Walks through the console in a real browser, on each database: against the app in this process, and against the executable
 * if `npm run build:binary` has built it from the present sources.
 */
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { browserStartMs, connectBrowser } from '../support/browser.ts';
import { findExecutableProblem } from '../support/program.ts';
import { billingWalks } from './billing.ts';
import { deskWalks } from './desk.ts';
import { entryWalks } from './entry.ts';
import { guardWalks } from './guard.ts';
import { keyboardWalks } from './keyboard.ts';
import { metadataWalks } from './metadata.ts';
import { readingWalks } from './reading.ts';
import { sellingWalks } from './selling.ts';
import { openApp, openExecutable, type Stage } from './stage.ts';
import { createVisitors, type Walks } from './walk.ts';

const walks: Walks = [
  ...entryWalks,
  ...billingWalks,
  ...deskWalks,
  ...guardWalks,
  ...sellingWalks,
  ...readingWalks,
  ...metadataWalks,
  ...keyboardWalks,
];
const problem = findExecutableProblem();
if (problem) console.log(`The executable is not walked: ${problem}`);

const stages = [
  { name: 'the app', open: openApp },
  ...(problem ? [] : [{ name: 'the executable', open: openExecutable }]),
];

it('are 75 or more', () => expect(walks.length).toBeGreaterThanOrEqual(75));

describe.each(stages)('through $name', ({ open }) => {
  let stage: Stage;
  let browser: Browser;
  let visit: ReturnType<typeof createVisitors>;

  beforeAll(async () => {
    stage = await open();
    browser = await connectBrowser();
    visit = createVisitors(stage, browser);
  }, browserStartMs);
  afterAll(() => stage?.close());

  it.each(walks)('%s', async (_, visitor, walk) => {
    const { page, complaints, leave, ...helpers } = await visit(visitor);
    try {
      await walk({ stage, page, ...helpers });
    } finally {
      await leave();
    }
    expect(complaints).toEqual([]);
  });
});
