import { createMollieClient, MollieApiError, type MollieClient } from '@mollie/api-client';

// A payer waits during the call. After the timeout the call is repeated later with the same key.
const timeoutMs = 15_000;

/** Calls Mollie by its official SDK, which has no time limit of its own. */
export type CallMollie = <T>(call: (client: MollieClient) => Promise<T>) => Promise<T>;

/** Creates the function that calls Mollie with an API key. The call throws after 15 seconds; its outcome is then unknown. */
export function createCaller(apiKey: string, url: string): CallMollie {
  const client = createMollieClient({ apiKey, apiEndpoint: `${url}/v2/`, versionStrings: 'Perennial/1' });
  return async (call) => {
    let timer: NodeJS.Timeout | undefined;
    const expired = new Promise<never>((_, reject) => {
      timer = setTimeout(() => reject(new Error('Mollie did not respond in time.')), timeoutMs);
    });
    try {
      return await Promise.race([call(client), expired]);
    } finally {
      clearTimeout(timer);
    }
  };
}

const keyProblems = new Set([401, 403]);
const transient = new Set([408, 409, 429]);

/**
 * Returns why Mollie refused a request, for example `invalid_amount`; undefined if it did not decide about it: it could
 * not be reached, was too busy, or did not accept the key.
 */
export function findRefusal(error: unknown): string | undefined {
  const { statusCode = 0, field } = error instanceof MollieApiError ? error : {};
  if (statusCode < 400 || statusCode >= 500) return undefined;
  if (keyProblems.has(statusCode) || transient.has(statusCode)) return undefined;
  if (!field) return 'invalid_request';
  return `invalid_${field.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`).replace(/\W/g, '_')}`;
}

/** Whether Mollie has no object with the id of the request. */
export const isMissing = (error: unknown): boolean =>
  error instanceof MollieApiError && (error.statusCode === 404 || error.statusCode === 410);
