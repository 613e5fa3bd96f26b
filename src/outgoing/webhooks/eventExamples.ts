import examples from './eventExamples.json' with { type: 'json' };

const byName: Partial<Record<string, Record<string, unknown>>> = examples;

/** Returns an example message of an event, recorded by the tests from a real run; null if none has been recorded. */
export const findExample = (name: string): Record<string, unknown> | null => byName[name] ?? null;
