import { findMailSettings, findRecipient } from '../../tenants/mailSettings.ts';
import type { MailKind } from '../../storage/model/mails.ts';
import type { Row } from '../../storage/model/rowTypes.ts';
import type { Mailer } from '../../tenancy/service.ts';
import { listTenants } from '../../tenancy/tenants.ts';
import { DeliveryQueue } from '../queue/queue.ts';
import { attemptMail, type MailParts } from './attempt.ts';
import { queueEventMails, queueMail, type OutboxOptions } from './outbox.ts';

/** The mails that may be sent at the same time. */
const mostAtOnce = 20;
/** A tenant's mails have one lane. */
const lanes = [{ id: 'mails' }];

interface MailerParts extends MailParts {
  /** Whether the configuration has a mail server. */
  hasServer: boolean;
  /** Whether test tenants keep the mails that they have nobody to send to. */
  keepsTestMails: boolean;
  /** The domain of message ids. */
  domain: string;
}

/** Creates the mailer, which queues mails and sends them as they become due. */
export function createMailer({ hasServer, keepsTestMails, domain, ...parts }: MailerParts): Mailer {
  const canSend: Mailer['canSend'] = (tenant) => hasServer || findMailSettings(tenant).ownServer;
  const sends = (tenant: Row<'tenants'>, kind: MailKind) =>
    canSend(tenant) && findRecipient(tenant, kind, '') !== null;
  const keeps: OutboxOptions['keeps'] = (tenant, kind) =>
    keepsTestMails && tenant.test && !sends(tenant, kind);
  const isOn: Mailer['isOn'] = (tenant) => sends(tenant, 'receipt') || keeps(tenant, 'receipt');
  const isServed = (tenant: Row<'tenants'>) => canSend(tenant) || (keepsTestMails && tenant.test);
  const queue = new DeliveryQueue({
    mostAtOnce,
    mostPerLane: mostAtOnce,
    isServed,
    listTenants,
    listLanes: () => lanes,
    claim: (tenant, _, due, underWay) => tenant.claim('mailDeliveries', due, underWay),
    findDue: async (reads, _, due) => reads.one('mailDeliveries', due),
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
    queueEvents: (unit) => queueEventMails({ isOn, keeps, domain }, unit),
    queue: (unit, mail) => queueMail({ canSend, keeps, domain }, unit, mail),
    tryServer: (service, account) => parts.servers.tryOwn(service, account),
    notify: queue.notify,
    sendDue: (service, alias) => queue.sendDue(service, alias),
    start: (service, log) => {
      const sending = queue.start(service, log);
      return { stop: (limitMs) => sending.stop(limitMs).finally(() => parts.servers.close()) };
    },
  };
}
