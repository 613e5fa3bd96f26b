/** The server that a command talks to as a client. */
import { clientVariables } from '../config/settings.ts';
import { webAddress } from '../lib/settingSchemas.ts';
import { hasSecretKeyForm } from '../tenancy/authenticate.ts';
import type { Io } from './io.ts';

const { url: urlVariable, apiKey: keyVariable } = clientVariables;

/** A server, and the key of a tenant there. */
export interface Connection {
  url: string;
  apiKey: string;
}

/** Reads the base URL of a server, without a slash at its end, and the key of a tenant. Throws an Error that names the wrong variable, and never has the key. */
export function readConnection(env: Io['env']): Connection {
  const given = env[urlVariable]?.trim() ?? '';
  const apiKey = env[keyVariable]?.trim() ?? '';
  if (given === '')
    throw new Error(`${urlVariable} is missing: the base URL of the server, such as http://localhost:4000.`);
  const parsed = webAddress.safeParse(given);
  if (!parsed.success) throw new Error(`${urlVariable} must be an http or https address.`);
  const url = new URL(parsed.data);
  if (url.username !== '' || url.password !== '' || url.search !== '' || url.hash !== '')
    throw new Error(`${urlVariable} must be a base URL without a user name, a query or an anchor.`);
  if (apiKey === '') throw new Error(`${keyVariable} is missing: an API key of the tenant.`);
  if (!hasSecretKeyForm(apiKey))
    throw new Error(
      `${keyVariable} is not a secret API key; one begins with prn_ and is made by perennial key create.`,
    );
  return { url: parsed.data, apiKey };
}
