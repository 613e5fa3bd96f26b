// Prints each failed test and 'N passed, N failed, N skipped' of several test runs from vitest's reports, or fails without
// a count if there is none to trust. Arguments: for each run its report and the exit code of vitest.
import { readFileSync } from 'node:fs';

const longestMessage = 1_500;

let [passed, failed, skipped, browserTests] = [0, 0, 0, 0];
for (let at = 2; at < process.argv.length; at += 2) count(process.argv[at], process.argv[at + 1]);
if (browserTests === 0) fail('No test of a browser has run.');
console.log(`${passed} passed, ${failed} failed, ${skipped} skipped`);

function count(file, status) {
  const text = readFileSync(file, 'utf8');
  if (text === '') fail('vitest wrote no report.');

  const { numPassedTests, numFailedTests, numPendingTests, testResults } = JSON.parse(text);
  // A file that cannot be loaded has no tests to fail, yet it has failed.
  const unloaded = testResults.filter(
    ({ status: result, assertionResults }) =>
      result === 'failed' && assertionResults.every((test) => test.status !== 'failed'),
  );
  for (const { name, message } of unloaded) console.log(`${name} failed outside its tests: ${message}`);
  for (const { name, assertionResults } of testResults) {
    for (const test of assertionResults.filter(({ status: state }) => state === 'failed'))
      console.log(`${name} > ${test.fullName}: ${test.failureMessages.join('\n').slice(0, longestMessage)}`);
  }
  const failures = numFailedTests + unloaded.length;
  if ((failures === 0) !== (status === '0')) {
    fail(
      `vitest ended with ${status}, but its report has ${numPassedTests} passed and ${failures} failed tests.`,
    );
  }

  const ofBrowser = testResults.filter(({ name }) => name.replaceAll('\\', '/').includes('/test/browser/'));
  const states = ofBrowser.flatMap(({ assertionResults }) => assertionResults.map((test) => test.status));
  if (states.some((state) => state !== 'passed' && state !== 'failed'))
    fail('Tests of a browser were skipped.');
  browserTests += states.length;
  passed += numPassedTests;
  failed += failures;
  skipped += numPendingTests;
}

function fail(message) {
  console.error(message);
  process.exit(1);
}
