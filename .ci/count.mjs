// Prints 'N passed, N failed' from the report of vitest, or fails without a count when there is none to trust.
import { readFileSync } from 'node:fs';

const [file, status] = process.argv.slice(2);
const text = readFileSync(file, 'utf8');
if (text === '') fail('vitest wrote no report.');

const { numPassedTests, numFailedTests, testResults } = JSON.parse(text);
// A file that cannot be loaded has no tests to fail, yet it has failed.
const unloaded = testResults.filter(
  ({ status: result, assertionResults }) =>
    result === 'failed' && assertionResults.every((test) => test.status !== 'failed'),
);
for (const { name, message } of unloaded) console.log(`${name} failed outside its tests: ${message}`);

const failed = numFailedTests + unloaded.length;
if ((failed === 0) !== (status === '0')) {
  fail(
    `vitest ended with ${status}, but its report has ${numPassedTests} passed and ${failed} failed tests.`,
  );
}
console.log(`${numPassedTests} passed, ${failed} failed`);

function fail(message) {
  console.error(message);
  process.exit(1);
}
