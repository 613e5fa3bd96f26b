import { readFileSync } from 'node:fs';
import type { Config } from '../config/config.ts';
import type { Clock } from '../lib/clock.ts';
import { toDay } from '../lib/time.ts';
import type { Service } from '../tenancy/service.ts';

/** Reads the server's file of VAT rates if one is configured. Throws an Error that names the file and its mistakes. */
export async function loadVatRates(
  { vatRates: file }: Config,
  clock: Clock,
): Promise<Pick<Service, 'vatRates'>> {
  if (file === undefined) return {};
  // Loaded only if configured, because it takes time.
  const { parseVatRates } = await import('../billing/tax/vatRatesFile.ts');
  try {
    const { checkedUntil, rates } = parseVatRates(readFileSync(file, 'utf8'), toDay(clock.nowMs()));
    return { vatRates: { checkedUntil, rates } };
  } catch (error) {
    throw new Error(`The VAT rates of ${file} cannot be loaded: ${(error as Error).message}.`, {
      cause: error,
    });
  }
}
