/** The exemption of a seller, under which none of its sales is taxed. */
import * as z from 'zod';
import { isExemptionCode } from '../documents/vatex.ts';
import { refuse } from '../lib/errors.ts';
import type { Address } from '../storage/model/common.ts';
import type { TaxExemption } from '../storage/model/parties.ts';
import { printedLine, printedName } from './parties.ts';

const longestReference = 100;

/** The exemption of a seller in a request; omitted, it stays unchanged, and null removes it. */
export const taxExemption = z
  .object({
    kind: z.enum(['small_business', 'other']),
    reference: printedName.max(longestReference, `must be at most ${longestReference} characters`).nullish(),
    text: printedLine,
    code: z
      .string()
      .refine(isExemptionCode, 'must be a code of the list VATEX for exempt sales, such as VATEX-EU-132')
      .nullish(),
  })
  .nullish();

/** What the law of a country has for small businesses: the provision, the words and the code that it asks for. */
const smallBusinesses: Record<string, { reference: string; text?: string; code?: string }> = {
  AT: { reference: '§ 6 Abs. 1 Z 27 UStG 1994' },
  DE: { reference: '§ 19 UStG' },
  FR: {
    reference: 'art. 293 B du CGI',
    text: 'TVA non applicable, art. 293 B du CGI',
    code: 'VATEX-FR-FRANCHISE',
  },
  NL: { reference: 'artikel 25 Wet OB 1968, KOR' },
};

/**
 * Returns the exemption as it is kept, with what the seller's country has for small businesses where the request says
 * nothing. Error: `validation_failed` without an address, or without a reference where the country has none.
 */
export function completeExemption(
  given: NonNullable<z.output<typeof taxExemption>>,
  address: Address | null,
): TaxExemption {
  if (!address)
    return refuse('validation_failed', { path: 'seller.taxExemption', message: 'needs seller.address' });
  const { kind, text, code } = given;
  const national = kind === 'small_business' ? smallBusinesses[address.country] : undefined;
  const reference = given.reference ?? national?.reference;
  if (reference === undefined)
    return refuse('validation_failed', {
      path: 'seller.taxExemption.reference',
      message: 'is needed: the provision that exempts the seller',
    });
  const isNational = reference === national?.reference;
  return {
    kind,
    reference,
    text: text ?? (isNational ? (national.text ?? null) : null),
    code: code ?? national?.code ?? null,
  };
}
