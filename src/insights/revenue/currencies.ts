import type { TenantScope } from '../../tenancy/tenantScope.ts';

/** Lists the currencies in which there is or was MRR or money, those with the most customers first. */
export function listCurrencies(tenant: TenantScope): Promise<string[]> {
  return tenant.scan(async (scan) => {
    const customers = new Map<string, number>();
    const money = await scan.sum('revenueSums', { where: { span: 'day' }, by: ['currency'], sums: [] });
    for (const { currency } of money) customers.set(currency as string, 0);
    const moved = await scan.sum('mrrMovements', {
      where: { isStandard: true },
      by: ['currency', 'kind'],
      sums: [],
    });
    for (const { currency, kind, rows } of moved) {
      const change = kind === 'churn' ? -rows : kind === 'new' || kind === 'reactivation' ? rows : 0;
      customers.set(currency as string, (customers.get(currency as string) ?? 0) + change);
    }
    return [...customers]
      .toSorted(([a, most], [b, least]) => least - most || (a < b ? -1 : 1))
      .map(([currency]) => currency);
  });
}
