import { holdsKey } from '../lib/redaction.ts';

const executorForm = /^[\x21-\x7e]{1,255}$/;

/**
 * Returns whether a text is a valid executor id: 1 to 255 printable ASCII characters without an API key, because
 * traces are kept forever.
 */
export const isExecutor = (text: string): boolean => executorForm.test(text) && !holdsKey(text);
