import { orNull } from '../design/form.ts';

/** Returns what a form says of an identifier with a scheme; null if neither is filled in. */
export const toIdentifier = (scheme: string, value: string) =>
  orNull(scheme) || orNull(value) ? { scheme: scheme.trim(), value } : null;
