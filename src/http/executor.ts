import { holdsKey } from '../lib/redaction.ts';

const executorForm = /^[\x21-\x7e]{1,255}$/;

/** Whether a text can name who acts, in traces that are kept for good: 1 to 255 printable ASCII characters, no API key. */
export const isExecutor = (text: string): boolean => executorForm.test(text) && !holdsKey(text);
