/** The reset of a test tenant: its business begins again, with the same settings. */
import * as z from 'zod';
import { refuse } from '../lib/errors.ts';
import type { IssueCode } from '../lib/issueCodes.ts';
import { parseInput } from '../lib/validation.ts';
import type { Row, TenantTable } from '../storage/model/rowTypes.ts';
import { recordTables } from './deleteTenant.ts';
import { activityTypeByTable } from './traces/eventTypes.ts';
import type { UnitOfWork } from './unitOfWork.ts';

/** What is set up once: everything else is the business, and goes. */
const kept: ReadonlySet<TenantTable> = new Set<TenantTable>([
  'accounts',
  'exchangeRates',
  'logos',
  'mailTemplates',
  'taxRates',
  // Of what is kept, the history is kept too.
  'traces',
  'webhookEndpoints',
]);

const cleared = recordTables.filter((name) => !kept.has(name)) as Exclude<
  TenantTable,
  'tenants' | 'traces'
>[];

/** The activity types of the records that go. */
const clearedTypes = cleared.flatMap((name) =>
  name in activityTypeByTable ? activityTypeByTable[name as keyof typeof activityTypeByTable] : [],
);

const resetInput = z.object({ confirmation: z.string() });

/**
 * Removes all business records of a test tenant with their history, in one unit: customers, the catalogue, subscriptions,
 * documents and their numbers, mails, deliveries, sessions of customers, and idempotency records. Settings, keys, operators,
 * accounts, tax rates, mail texts, webhook endpoints and the clock stay. Errors: `validation_failed` for a live tenant, and
 * unless `confirmation` is the alias.
 */
export async function resetTenant(unit: UnitOfWork, input: unknown): Promise<Row<'tenants'>> {
  const { confirmation } = parseInput(resetInput, input);
  const { tenant } = unit;
  const fail = (message: string, code: IssueCode) =>
    refuse('validation_failed', { path: 'confirmation', message, code });
  if (!tenant.test) fail('is for a test tenant only', 'tests_only');
  if (confirmation !== tenant.alias)
    fail(`must be ${tenant.alias}, the alias of the tenant`, 'not_the_alias');
  await unit.lockUsage();
  for (const name of cleared) await unit.clear(name, {});
  await unit.clear('traces', { activityType: clearedTypes });
  const begun = await unit.change('tenants', tenant, {
    discountsSince: null,
    invoiceItemsSince: null,
    productKindsSince: null,
    usageSince: null,
    thresholdsSince: null,
    spendAlertsSince: null,
    usageForgottenUntil: null,
    revenueSince: unit.now,
    portal: tenant.portal && { ...tenant.portal, productIds: null, retentionCouponId: null },
  });
  await unit.recordEvent('tenants', begun, 'reset');
  return begun;
}
