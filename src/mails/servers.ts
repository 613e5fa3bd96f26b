/** Which mail server sends the mails of a tenant: its own, or that of the server. */
import { lookup as lookUpHost } from 'node:dns/promises';
import { isIP } from 'node:net';
import type { Mailbox } from '../lib/mailAddress.ts';
import { parseSmtpAddress, type SmtpAddress } from '../lib/smtpAddress.ts';
import type { Service, TenantRow } from '../tenancy/tenants.ts';
import { findMailSettings } from '../tenancy/mailSettings.ts';
import { isPublic } from '../webhooks/urlPolicy.ts';
import { openTransport, type SendResult, type Transport } from './transport.ts';

/** The mail server of the configuration. */
interface ServerMail {
  address: SmtpAddress;
  sender: Mailbox;
}

/** A tenant's own mail server. */
interface OwnServer {
  /** `smtps://user:password@host`. */
  url: string;
  fromAddress: string;
  /** Changes when the account does. */
  version: string;
}

interface ServersOptions {
  /** Null if the configuration has none. */
  standard: ServerMail | null;
  /** The name in EHLO. */
  name: string;
  /** Whether a tenant's own server may be in the network of this one. */
  mayBePrivate: boolean;
  findOwn: (service: Service, tenant: TenantRow) => Promise<OwnServer | undefined>;
  /** Records how a call of a tenant's own server ended; null for a success. */
  report: (service: Service, tenant: TenantRow, failure: string | null) => Promise<void>;
}

/** A way to send a tenant's mail. */
interface Route {
  sender: Mailbox;
  send: Transport['send'];
}

/** The connections to all mail servers. */
export interface MailServers {
  /** Returns the route for a tenant; undefined if there is no mail server. */
  find(service: Service, tenant: TenantRow): Promise<Route | undefined>;
  close(): void;
}

/** The connections of a tenant to its own server, and of all tenants to that of the configuration. */
const [mostOwn, mostShared] = [4, 10];
/** The pools of tenants that are kept open. */
const mostPools = 100;

/** Opens connections to mail servers as they are needed, and keeps them. */
export function createServers(options: ServersOptions): MailServers {
  const { standard, name, mayBePrivate } = options;
  let shared: Promise<Transport> | undefined;
  const own = new Map<string, { version: string; transport: Promise<Transport> }>();

  const openShared = ({ address }: ServerMail) =>
    (shared ??= openTransport(address, { name, maxConnections: mostShared }));
  const openOwn = (alias: string, { url, version }: OwnServer): Promise<Transport> => {
    const known = own.get(alias);
    if (known?.version === version) return known.transport;
    closeOwn(alias);
    const transport = connectOwn(url, name, mayBePrivate);
    own.set(alias, { version, transport });
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
  const find: MailServers['find'] = async (service, tenant) => {
    const account = findMailSettings(tenant).ownServer ? await options.findOwn(service, tenant) : undefined;
    if (!account) {
      if (!standard) return undefined;
      return { sender: standard.sender, send: async (...args) => (await openShared(standard)).send(...args) };
    }
    const send: Transport['send'] = async (...args) => {
      const result = await openOwn(tenant.alias, account).then(
        (transport) => transport.send(...args),
        (error: Error): SendResult => {
          closeOwn(tenant.alias);
          return { status: 'deferred', error: error.message, response: null, isServerFault: true };
        },
      );
      await options.report(service, tenant, describeFault(result));
      return result;
    };
    return { sender: { name: '', address: account.fromAddress }, send };
  };
  return {
    find,
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
async function connectOwn(url: string, name: string, mayBePrivate: boolean): Promise<Transport> {
  const address = parseSmtpAddress(url);
  const addresses = await resolveHost(address.host, mayBePrivate);
  return openTransport(address, { addresses, name, maxConnections: mostOwn });
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
