/** What credit grants take off the lines of a bill, by the names that documents show too. */
import { listLineUses } from '../../billing/pricing/creditGrants.ts';
import type { Line } from '../../billing/pricing/invoiceLines.ts';
import { html } from '../../lib/html.ts';
import type { Reads } from '../../storage/store.ts';
import type { SummaryRow } from './components.ts';

/** What a grant takes off a bill, in minor units. */
export interface GrantPart {
  name: string;
  amountMinor: bigint;
}

/** Lists what each grant takes off lines, in the order of their use. */
export async function listGrantParts(reads: Reads, lines: Pick<Line, 'discounts'>[]): Promise<GrantPart[]> {
  const sums = new Map<string, bigint>();
  for (const { creditId, amountMinor } of lines.flatMap(listLineUses))
    sums.set(creditId, (sums.get(creditId) ?? 0n) + amountMinor);
  if (sums.size === 0) return [];
  const grants = await reads.many('balanceEntries', { where: { id: [...sums.keys()] } });
  const names = new Map(grants.map(({ id, reason }) => [id, reason ?? '']));
  return [...sums].map(([id, amountMinor]) => ({ name: names.get(id) ?? '', amountMinor }));
}

/** Sums what grants take off, in minor units. */
export const sumGrantParts = (parts: GrantPart[]): bigint =>
  parts.reduce((sum, { amountMinor }) => sum + amountMinor, 0n);

/** Returns the rows of a summary that show what grants take off. */
export const toGrantRows = (
  formats: { money: (amountMinor: bigint, currency: string) => string },
  parts: GrantPart[],
  currency: string,
): SummaryRow[] =>
  parts.map(({ name, amountMinor }) => ({
    label: html`<bdi>${name}</bdi>`,
    value: formats.money(-amountMinor, currency),
  }));
