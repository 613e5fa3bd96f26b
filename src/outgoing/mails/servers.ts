/** Which mail server sends the mails of a tenant: its own, or that of the server. */
import { lookup as lookUpHost } from 'node:dns/promises';
import { isIP } from 'node:net';
import { isPublic } from '../../lib/hosts.ts';
import type { Mailbox } from '../../lib/mailAddress.ts';
import { parseSmtpAddress, type SmtpAddress } from '../../lib/smtpAddress.ts';
import {
  findAccount,
  openAccount,
  recordAccountResult,
  type AccountRow,
} from '../../tenants/providerAccounts.ts';
import type { AccountParts } from '../../tenancy/service.ts';
import type { TenantRow } from '../../tenancy/tenants.ts';
import { findMailSettings } from '../../tenants/mailSettings.ts';
import { openTransport, tryServer, type SendResult, type Transport } from './transport.ts';

/** The mail server of the configuration. */
interface ServerMail {
  address: SmtpAddress;
  sender: Mailbox;
}

interface ServersOptions {
  /** Null if the configuration has none. */
  standard: ServerMail | null;
  /** The name in EHLO. */
  name: string;
  /** Whether a tenant's own server may be in the network of this one. */
  mayBePrivate: boolean;
}

/** A way to send a tenant's mail. */
interface Route {
  sender: Mailbox;
  send: Transport['send'];
}

/** The connections to all mail servers. */
export interface MailServers {
  /** Returns the route for a tenant; undefined if there is no mail server. */
  find(parts: AccountParts, tenant: TenantRow): Promise<Route | undefined>;
  /** Connects to a tenant's own server and signs in, without sending; the account records the outcome. */
  tryOwn(parts: AccountParts, account: AccountRow): Promise<void>;
  close(): void;
}

/** The connections of a tenant to its own server, and of all tenants to that of the configuration. */
const [mostOwn, mostShared] = [4, 10];
/** The pools of tenants that are kept open. */
const mostPools = 100;

/** Opens connections to mail servers as they are needed, and keeps them. */
export function createServers(options: ServersOptions): MailServers {
  const { standard, name } = options;
  let shared: Promise<Transport> | undefined;
  /** By tenant; `secrets` changes with the account. */
  const own = new Map<string, { secrets: string; transport: Promise<Transport> }>();

  const openShared = ({ address }: ServerMail) =>
    (shared ??= openTransport(address, { name, maxConnections: mostShared }));
  const openOwn = (parts: AccountParts, account: AccountRow): Promise<Transport> => {
    const { tenantAlias: alias, secrets } = account;
    const known = own.get(alias);
    if (known?.secrets === secrets) return known.transport;
    closeOwn(alias);
    const transport = connectOwn(parts, account, options);
    own.set(alias, { secrets, transport });
    const [oldest] = own.keys();
    if (own.size > mostPools) closeOwn(oldest!);
    return transport;
  };
  const closeOwn = (alias: string) => {
    const known = own.get(alias);
    own.delete(alias);
    known?.transport.then(
      (transport) => transport.close(),
      () => {},
    );
  };
  const find: MailServers['find'] = async (parts, tenant) => {
    const account = findMailSettings(tenant).ownServer ? await findAccount(parts, tenant, 'smtp') : undefined;
    if (!account) {
      if (!standard) return undefined;
      return { sender: standard.sender, send: async (...args) => (await openShared(standard)).send(...args) };
    }
    const send: Transport['send'] = async (...args) => {
      const result = await openOwn(parts, account).then(
        (transport) => transport.send(...args),
        (error: Error): SendResult => {
          closeOwn(tenant.alias);
          return { status: 'deferred', error: error.message, response: null, isServerFault: true };
        },
      );
      await recordAccountResult(parts, account, describeFault(result));
      return result;
    };
    return { sender: { name: '', address: account.settings['fromAddress']! }, send };
  };
  return {
    find,
    tryOwn: async (parts, account) => {
      const failure = await tryAccount(parts, account, options).catch(({ message }: Error) => message);
      await recordAccountResult(parts, account, failure ?? null);
    },
    close: () => {
      for (const alias of own.keys()) closeOwn(alias);
      shared?.then(
        (transport) => transport.close(),
        () => {},
      );
    },
  };
}

const describeFault = (result: SendResult): string | null =>
  result.status === 'deferred' && result.isServerFault ? (result.response ?? result.error) : null;

/** Connects to one of the addresses of a tenant's server, all of which are checked. */
async function connectOwn(
  parts: AccountParts,
  account: AccountRow,
  options: ServersOptions,
): Promise<Transport> {
  const { address, addresses } = await resolveOwn(parts, account, options);
  return openTransport(address, { addresses, name: options.name, maxConnections: mostOwn });
}

async function tryAccount(
  parts: AccountParts,
  account: AccountRow,
  options: ServersOptions,
): Promise<string | undefined> {
  const { address, addresses } = await resolveOwn(parts, account, options);
  return tryServer(address, options.name, addresses);
}

async function resolveOwn(parts: AccountParts, account: AccountRow, { mayBePrivate }: ServersOptions) {
  const { secrets } = openAccount(parts, account);
  const address = parseSmtpAddress(secrets['url']!);
  return { address, addresses: await resolveHost(address.host, mayBePrivate) };
}

async function resolveHost(host: string, mayBePrivate: boolean): Promise<string[]> {
  const found =
    isIP(host) === 0 ? await lookUpHost(host, { all: true }).catch(() => []) : [{ address: host }];
  const addresses = found.map((each) => each.address);
  // The reply must not tell whether the name exists in the internal network.
  if (addresses.length === 0 || (!mayBePrivate && !addresses.every(isPublic)))
    throw new Error('address_unusable');
  return addresses;
}
