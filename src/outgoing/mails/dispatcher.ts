import type { Logger } from 'pino';
import { completesWithin } from '../../lib/deadline.ts';
import { BillingError } from '../../lib/errors.ts';
import { findMailSettings, findRecipient } from '../../tenants/mailSettings.ts';
import { openScheduledTenant } from '../../tenancy/tenantScope.ts';
import {
  findTenant,
  listTenants,
  type Mailer,
  type Service,
  type TenantRow,
  type Working,
} from '../../tenancy/tenants.ts';
import {
  createBell,
  endAttempts,
  listTenantRows,
  settle,
  startWakingUp,
  wakeHeldBack,
  type Bell,
} from '../queue/workSignal.ts';
import { computeTenantRoom } from '../queue/shares.ts';
import { attemptMail, type MailParts } from './attempt.ts';
import { queueEventMails, queueMail, type MailRow } from './outbox.ts';

/** The mails that may be sent at the same time. */
const mostAtOnce = 20;

interface MailerParts extends MailParts {
  /** Whether the configuration has a mail server. */
  hasServer: boolean;
  /** The domain of message ids. */
  domain: string;
}

/** The state of a mailer; all other mails are in the database. */
interface MailerState {
  parts: MailParts;
  canSend: Mailer['canSend'];
  /** The attempts in progress, by id; they resolve with whether the outcome could be recorded. */
  attempts: Map<string, { alias: string; done: Promise<boolean> }>;
  /** Tenants that may have more due mails than their share allowed. */
  heldBack: Set<string>;
  bell: Bell;
  /** Resolves when the last claim ends. */
  lastClaim: Promise<void>;
  stop: AbortController;
  log?: Logger;
}

/**
 * Creates the mailer. Each tenant has a share of the concurrent attempts, so that one with many mails does not delay the
 * others. Each outcome is recorded in its own unit of work. If the process dies, another one claims its mails.
 */
export function createMailer({ hasServer, domain, ...parts }: MailerParts): Mailer {
  const canSend: Mailer['canSend'] = (tenant) => hasServer || findMailSettings(tenant).ownServer;
  const isOn: Mailer['isOn'] = (tenant) => canSend(tenant) && findRecipient(tenant, 'receipt', '') !== null;
  const state: MailerState = {
    parts,
    canSend,
    attempts: new Map(),
    heldBack: new Set(),
    bell: createBell(),
    lastClaim: Promise.resolve(),
    stop: new AbortController(),
  };
  return {
    isOn,
    canSend,
    queueEvents: (unit) => queueEventMails({ isOn, domain }, unit),
    queue: (unit, mail) => queueMail({ canSend, domain }, unit, mail),
    tryServer: (service, account) => parts.servers.tryOwn(service, account),
    wake: state.bell.wake,
    sendDue: (service, alias) => sendDue(state, service, alias),
    start: (service, log) => {
      state.log = log;
      return startSending(state, service, log);
    },
  };
}

/** Claims due mails of a tenant within its share. Claims run one after another, so that none is made twice. */
function claimMails(state: MailerState, service: Service, record: TenantRow): Promise<void> {
  const claim = state.lastClaim.then(() => claimOnce(state, service, record));
  state.lastClaim = claim.catch(() => {});
  return claim;
}

async function claimOnce(state: MailerState, service: Service, record: TenantRow): Promise<void> {
  if (state.stop.signal.aborted) return;
  const tenant = openScheduledTenant(service, record);
  const own = new Set([...state.attempts].flatMap(([id, { alias }]) => (alias === record.alias ? id : [])));
  const limit = computeTenantRoom(state.attempts.size, own.size, mostAtOnce);
  if (limit === 0) {
    state.heldBack.add(record.alias);
    return;
  }
  const where = { dueAt: { to: tenant.now() } };
  const due = await tenant.claim('mailDeliveries', { where, orderBy: ['dueAt', 'id'], limit }, own);
  for (const mail of due) startAttempt(state, service, mail);
  if (due.length === limit) state.heldBack.add(record.alias);
}

function startAttempt(state: MailerState, service: Service, mail: MailRow): void {
  const { parts, attempts, stop, log } = state;
  const { id, tenantAlias: alias } = mail;
  const report = (error: unknown) => log?.error({ err: error, tenant: alias, mail: id }, 'mail failed');
  const attempt = attemptMail(parts, service, mail, { stop: stop.signal, report });
  const done = settle(attempt, report).finally(() => {
    attempts.delete(id);
    wakeHeldBack(state.bell, state.heldBack, alias);
  });
  attempts.set(id, { alias, done });
}

async function sendDue(state: MailerState, service: Service, alias: string): Promise<void> {
  for (;;) {
    const record = await findTenant(service, alias);
    if (!record) return;
    await claimMails(state, service, record);
    const own = [...state.attempts.values()].filter((each) => each.alias === alias);
    if (own.length === 0) return;
    if (!(await Promise.race(own.map(({ done }) => done)))) throw new BillingError('unavailable', [], 1);
  }
}

function startSending(state: MailerState, service: Service, log: Logger): Working {
  const polling = startWakingUp({
    bell: state.bell,
    log,
    failure: 'sending mails failed; the next round continues it',
    process: async (woken) => {
      const records = woken ? await listTenantRows(service, woken) : await listTenants(service);
      for (const record of records) if (state.canSend(record)) await claimMails(state, service, record);
    },
  });
  return {
    stop: async (limitMs) => {
      const isInTime = await completesWithin(
        endAttempts(polling.stop(), state.attempts, state.stop),
        limitMs,
      );
      state.stop.abort();
      state.parts.servers.close();
      if (!isInTime) log.warn('stopped before mails had been sent; the next server sends them');
    },
  };
}
