/** What a tenant has of a catalogue: read once, and compared with a file. */
import { refuse } from '../lib/errors.ts';
import type { Row, TenantTable } from '../storage/model/rowTypes.ts';
import type { Reads } from '../storage/store.ts';
import type { Selection } from '../storage/query/queries.ts';

const mostRecords = 10_000;

/** The records of a catalogue. */
export interface CatalogState {
  tenant: Row<'tenants'>;
  now: string;
  groups: Row<'groups'>[];
  meters: Row<'meters'>[];
  creditTypes: Row<'creditTypes'>[];
  features: Row<'features'>[];
  products: Row<'products'>[];
  /** Those of products that are not deleted. */
  prices: Row<'prices'>[];
  entitlements: Row<'productEntitlements'>[];
  coupons: Row<'coupons'>[];
  taxRates: Row<'taxRates'>[];
  endpoints: Row<'webhookEndpoints'>[];
  mailTemplates: Row<'mailTemplates'>[];
}

/** Reads the catalogue of a tenant. Error: `result_too_large` for more than 10,000 records of a kind. */
export async function readCatalog(reads: Reads, tenant: Row<'tenants'>, now: string): Promise<CatalogState> {
  const list = async <Name extends TenantTable>(name: Name, where: Selection<Name>['where'] = {}) => {
    const rows = await reads.many(name, { where, limit: mostRecords + 1 });
    if (rows.length > mostRecords) refuse('result_too_large');
    return rows.toSorted((a, b) => ((a as { id: string }).id < (b as { id: string }).id ? -1 : 1));
  };
  return {
    tenant,
    now,
    groups: await list('groups'),
    meters: await list('meters', { archivedAt: null }),
    creditTypes: await list('creditTypes'),
    features: await list('features'),
    products: await list('products', { deletedAt: null }),
    prices: await list('prices', { productId: { undeleted: 'products' } }),
    entitlements: await list('productEntitlements'),
    coupons: await list('coupons'),
    taxRates: await list('taxRates', { archivedAt: null }),
    endpoints: await list('webhookEndpoints'),
    mailTemplates: await list('mailTemplates'),
  };
}
