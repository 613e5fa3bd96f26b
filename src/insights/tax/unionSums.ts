/** What documents count towards the threshold of the European Union: by year in euros, and by day in other currencies. */
import { countOnDay } from '../../billing/tax/unionSalesDays.ts';
import { noteThreshold, sumUnionSales, thresholdCurrency } from '../../billing/tax/unionSales.ts';
import { toLocalDate } from '../../lib/time.ts';
import type { Row } from '../../storage/model/rowTypes.ts';
import type { UnitOfWork } from '../../tenancy/unitOfWork.ts';
import type { TaxedDocument } from './taxedDocuments.ts';

/** The sums of documents; amounts in minor units. */
export class UnionSums {
  /** In euros, without what other currencies are in them. */
  readonly years = new Map<number, bigint>();
  readonly days = new Map<string, { day: string; currency: string; netMinor: bigint }>();

  constructor(private readonly tenant: Pick<Row<'tenants'>, 'seller' | 'timezone'>) {}

  add({ country, currency, taxes, sign, issuedAt }: TaxedDocument): void {
    const netMinor = sign * sumUnionSales(this.tenant, { country, taxes });
    if (netMinor === 0n) return;
    const day = toLocalDate(issuedAt, this.tenant.timezone);
    if (currency === thresholdCurrency) {
      const year = Number(day.slice(0, 4));
      this.years.set(year, (this.years.get(year) ?? 0n) + netMinor);
      return;
    }
    const key = `${day} ${currency}`;
    const known = this.days.get(key)?.netMinor ?? 0n;
    this.days.set(key, { day, currency, netMinor: known + netMinor });
  }

  /** Stores the sums in place of those before, and notes what they have reached. */
  async keep(unit: UnitOfWork): Promise<void> {
    await removeUnionSales(unit);
    for (const [year, netMinor] of this.years) {
      await unit.insertUntraced('unionSales', { year, currency: thresholdCurrency, netMinor });
      await noteThreshold(unit, { year, currency: thresholdCurrency });
    }
    for (const { netMinor, ...key } of this.days.values()) await countOnDay(unit, key, netMinor);
  }
}

/** Removes what a tenant has counted. */
export async function removeUnionSales(unit: UnitOfWork): Promise<void> {
  await unit.removeUntraced('unionSales', {});
  await unit.removeUntraced('unionSalesDays', {});
}
