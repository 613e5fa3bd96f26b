import type { EInvoiceSender } from '../../tenancy/service.ts';
import { listTenants } from '../../tenancy/tenants.ts';
import { openAccount, recordAccountResult, unreadable } from '../../tenants/providerAccounts.ts';
import { DeliveryQueue } from '../queue/queue.ts';
import { callAccessPoint, describeTrial } from './accessPoint.ts';
import { attemptEInvoice, type EInvoiceParts } from './attempt.ts';

/** The calls that may be under way; a document as PDF takes some megabytes. */
const mostAtOnce = 32;
const mostPerTenant = 4;
/** A tenant has one access point. */
const lanes = [{ id: 'access_point' }];

/** Creates what sends the queued e-invoices to the access points of their tenants. */
export function createEInvoiceSender(parts: EInvoiceParts): EInvoiceSender {
  const queue = new DeliveryQueue({
    mostAtOnce,
    mostPerLane: mostPerTenant,
    isServed: ({ eInvoiceFormats }) => eInvoiceFormats !== null,
    listTenants,
    listLanes: () => lanes,
    claim: (tenant, _, due, underWay) => tenant.claim('eInvoiceDeliveries', due, underWay),
    findDue: async (reads, _, due) => reads.one('eInvoiceDeliveries', due),
    attempt: (service, _, delivery, signals) => attemptEInvoice(parts, service, delivery, signals),
    log: {
      idField: 'document',
      attemptFailed: 'sending an e-invoice failed',
      roundFailed: 'sending e-invoices failed; the next round continues it',
      stoppedEarly: 'stopped before e-invoices had been sent; the next server sends them',
    },
  });
  return {
    notify: queue.notify,
    tryAccessPoint: async (service, account) => {
      const called = async () =>
        describeTrial(await callAccessPoint(parts.post, openAccount(service, account)));
      await recordAccountResult(service, account, await called().catch(() => unreadable));
    },
    sendDue: (service, alias, limitMs) => queue.sendDue(service, alias, limitMs),
    start: (service, log) => queue.start(service, log),
  };
}
