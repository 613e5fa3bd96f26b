/**
 * The rules of money do not depend on the database, but what keeps concurrent requests apart does: on PostgreSQL the
 * tests of concurrent requests run and one in three of the others. `npm run test:long` runs all.
 */
import { beforeEach } from 'vitest';
import { isLong } from './sample.ts';

const rules = /\/test\/(discounts|invoicing|renewals|subscriptions)\/|\/test\/graphql\/erasure\.test\.ts$/;
const concurrent = /parallel|concurrent|at once|at the same time/;
const oneIn = 3;

/** This file is loaded anew for each test file. */
let count = 0;

beforeEach(({ task, skip }) => {
  if (isLong || !rules.test(task.file.filepath)) return;
  if (count++ % oneIn !== 0 && !concurrent.test(`${task.suite?.name} ${task.name}`)) skip();
});
