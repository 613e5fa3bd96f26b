import { refuse } from '../lib/errors.ts';
import examples from './eventExamples.json' with { type: 'json' };

const byName: Partial<Record<string, Record<string, unknown>>> = examples;

/** An example message of an event: recorded from a real run by the tests. Error: `internal_error` for an unknown name. */
export const exampleOf = (name: string): Record<string, unknown> => byName[name] ?? refuse('internal_error');
