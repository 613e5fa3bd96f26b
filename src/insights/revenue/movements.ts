import { parseCurrency } from '../../lib/money.ts';
import { parseInstant } from '../../lib/time.ts';
import type { Row } from '../../storage/model/rowTypes.ts';
import type { Reads } from '../../storage/store.ts';
import { readPage, type Page, type PageArgs } from '../../tenancy/pagination.ts';
import type { TenantScope } from '../../tenancy/tenantScope.ts';

export type MovementRow = Row<'mrrMovements'>;

interface MovementFilter {
  customerId?: string | null;
  kind?: MovementRow['kind'] | null;
  currency?: string | null;
  from?: string | null;
  until?: string | null;
}

/**
 * Lists the movements of MRR by the standard definition; newest first by default. Errors: `validation_failed`,
 * `currency_unsupported`, `cursor_invalid`.
 */
export function listMovements(
  tenant: TenantScope,
  { customerId, kind, currency, from, until }: MovementFilter,
  args: PageArgs,
): Promise<Page<MovementRow>> {
  const { timezone } = tenant.record;
  const at = {
    from: from ? parseInstant(from, timezone, 'from') : undefined,
    before: until ? parseInstant(until, timezone, 'until') : undefined,
  };
  const byCurrency = { currency: currency ? parseCurrency(currency, 'currency') : undefined };
  const byKind = { kind: kind ?? undefined };
  const standard = { isStandard: true };
  // A customer has few movements, so the customer's index is more selective than that of a kind.
  const [where, filter] = customerId
    ? [
        { customerId, at },
        { ...standard, ...byKind, ...byCurrency },
      ]
    : [{ ...standard, ...byKind, at }, byCurrency];
  return readPage(
    tenant,
    { name: 'mrrMovements', table: 'mrrMovements', where, filter, by: ['at', 'id'] },
    args,
  );
}

/** Returns the movement with this id; null if there is none. */
export const findMovement = async (reads: Reads, id: string): Promise<MovementRow | null> =>
  (await reads.one('mrrMovements', { id, isStandard: true })) ?? null;
