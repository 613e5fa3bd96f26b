/** Calls of the access points of tenants. */
import { version } from '../../lib/version.ts';
import type { OpenAccount } from '../../tenants/providerAccounts.ts';
import type { Row } from '../../storage/model/rowTypes.ts';
import type { Message, Post, PostOutcome } from '../webhooks/httpClient.ts';

type Delivery = Row<'eInvoiceDeliveries'>;

/** Returns the headers by which the access point knows the tenant. */
function buildCredentials({ settings, secrets }: OpenAccount): Record<string, string> {
  const { header } = settings;
  const secret = secrets['secret']!;
  return header ? { [header.toLowerCase()]: secret } : { authorization: `Bearer ${secret}` };
}

/** Returns the key by which the access point recognizes a document that it has already. */
const buildKey = ({ id, edition }: Pick<Delivery, 'id' | 'edition'>): string =>
  edition === 1 ? id : `${id}-${edition}`;

/** Builds the call that hands a file to the access point. */
export const buildEInvoiceMessage = (
  account: OpenAccount,
  delivery: Delivery,
  { contentType, bytes }: { contentType: string; bytes: Buffer },
  isTest: boolean,
): Message<Buffer> => ({
  url: account.settings['url']!,
  keepsText: true,
  body: bytes,
  headers: {
    ...buildCredentials(account),
    'content-type': contentType,
    accept: 'application/json',
    'user-agent': `Perennial/${version}`,
    'idempotency-key': buildKey(delivery),
    'perennial-tenant': delivery.tenantAlias,
    'perennial-document': delivery.id,
    'perennial-document-kind': delivery.kind,
    'perennial-format': delivery.format,
    ...(isTest && { 'perennial-test': 'true' }),
  },
});

/** Calls the access point without a document. */
export const callAccessPoint = (post: Post, account: OpenAccount): Promise<PostOutcome> =>
  post(
    {
      url: account.settings['url']!,
      method: 'HEAD',
      body: '',
      headers: { ...buildCredentials(account), 'user-agent': `Perennial/${version}` },
    },
    new AbortController().signal,
  );

/** Returns why a call without a document failed; null if the access point answers and takes the credentials. */
export const describeTrial = ({ statusCode, error }: PostOutcome): string | null =>
  statusCode === null || statusCode >= 500 || statusCode === 401 || statusCode === 403 ? error : null;
