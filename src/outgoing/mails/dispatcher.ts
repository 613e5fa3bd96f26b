import { findMailSettings, findRecipient } from '../../tenants/mailSettings.ts';
import type { Mailer } from '../../tenancy/service.ts';
import { listTenants } from '../../tenancy/tenants.ts';
import { DeliveryQueue } from '../queue/queue.ts';
import { attemptMail, type MailParts } from './attempt.ts';
import { queueEventMails, queueMail } from './outbox.ts';

/** The mails that may be sent at the same time. */
const mostAtOnce = 20;
/** A tenant's mails have one lane. */
const lanes = [{ id: 'mails' }];

interface MailerParts extends MailParts {
  /** Whether the configuration has a mail server. */
  hasServer: boolean;
  /** The domain of message ids. */
  domain: string;
}

/** Creates the mailer, which queues mails and sends them as they become due. */
export function createMailer({ hasServer, domain, ...parts }: MailerParts): Mailer {
  const canSend: Mailer['canSend'] = (tenant) => hasServer || findMailSettings(tenant).ownServer;
  const isOn: Mailer['isOn'] = (tenant) => canSend(tenant) && findRecipient(tenant, 'receipt', '') !== null;
  const queue = new DeliveryQueue({
    mostAtOnce,
    mostPerLane: mostAtOnce,
    isServed: canSend,
    listTenants,
    listLanes: () => lanes,
    claim: (tenant, _, limit, underWay) => {
      const where = { dueAt: { to: tenant.now() } };
      return tenant.claim('mailDeliveries', { where, orderBy: ['dueAt', 'id'], limit }, underWay);
    },
    hasDue: async (reads, _, now) =>
      (await reads.one('mailDeliveries', { dueAt: { to: now } })) !== undefined,
    attempt: (service, _, mail, signals) => attemptMail(parts, service, mail, signals),
    log: {
      idField: 'mail',
      attemptFailed: 'mail failed',
      roundFailed: 'sending mails failed; the next round continues it',
      stoppedEarly: 'stopped before mails had been sent; the next server sends them',
    },
  });
  return {
    isOn,
    canSend,
    queueEvents: (unit) => queueEventMails({ isOn, domain }, unit),
    queue: (unit, mail) => queueMail({ canSend, domain }, unit, mail),
    tryServer: (service, account) => parts.servers.tryOwn(service, account),
    notify: queue.notify,
    sendDue: (service, alias) => queue.sendDue(service, alias),
    start: (service, log) => {
      const sending = queue.start(service, log);
      return { stop: (limitMs) => sending.stop(limitMs).finally(() => parts.servers.close()) };
    },
  };
}
