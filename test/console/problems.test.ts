/** The words of the console for what the server refuses. */
import { expect, it } from 'vitest';
import { problemTexts } from '../../src/console/texts/texts.ts';
import { issueCodes } from '../../src/lib/issueCodes.ts';

it.each(['en', 'de', 'fr', 'fa'] as const)('each code of a refused field has its words in %s', (language) => {
  expect(Object.keys(problemTexts[language].codes).toSorted()).toEqual(Object.keys(issueCodes).toSorted());
});
