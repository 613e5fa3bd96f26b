/** The tax returns: which line of its form a tax belongs to, and who has such a return. */
import { locate } from '../../../billing/tax/vatPlaces.ts';
import { refuse } from '../../../lib/errors.ts';
import type { TenantScope } from '../../../tenancy/tenantScope.ts';
import { findCa3Line } from './ca3Lines.ts';
import { findOssLine } from './ossLines.ts';
import { findPlainLine } from './plainLines.ts';
import { findUstvaLine } from './ustvaLines.ts';
import { leaveOut, type FindLine } from './returnLines.ts';

/** The returns, and a list of everything that was taxed. */
export type TaxReturnKind = 'plain' | 'oss' | 'ustva' | 'ca3';

interface ReturnForm {
  findLine: FindLine;
  /** Whether corrections of earlier periods are listed apart, by the quarter that they correct. */
  listsCorrections?: boolean;
  /** The currency of the form; null for a list in all currencies. */
  currency: string | null;
  /** Says what its seller needs; undefined if they have it. */
  findObstacle: (home: ReturnType<typeof locate> | undefined) => string | undefined;
}

const needsSellerIn = (country: string, name: string) => (home: ReturnType<typeof locate> | undefined) =>
  home?.country === country ? undefined : `needs seller.address in ${name}`;

const forms: Record<TaxReturnKind, ReturnForm> = {
  plain: { findLine: findPlainLine, currency: null, findObstacle: () => undefined },
  oss: {
    findLine: findOssLine,
    listsCorrections: true,
    currency: 'eur',
    findObstacle: (home) => (home?.isInUnion ? undefined : 'needs seller.address in the European Union'),
  },
  ustva: { findLine: findUstvaLine, currency: 'eur', findObstacle: needsSellerIn('DE', 'Germany') },
  ca3: { findLine: findCa3Line, currency: 'eur', findObstacle: needsSellerIn('FR', 'France') },
};

/** A return, and how it finds its lines. */
export type OpenForm = Pick<ReturnForm, 'findLine' | 'listsCorrections' | 'currency'>;

/** Returns the form of a return. Error: `validation_failed` at `path` if the seller has no such return. */
export function openForm({ record }: TenantScope, kind: TaxReturnKind, path: string): OpenForm {
  const { findObstacle, findLine, currency, ...form } = forms[kind];
  const { address } = record.seller ?? {};
  const message = findObstacle(address ? locate(address) : undefined);
  if (message) refuse('validation_failed', { path, message });
  return {
    ...form,
    currency,
    findLine: (terms, isCorrection) =>
      currency !== null && terms.currency !== currency
        ? leaveOut('other_currency')
        : findLine(terms, isCorrection),
  };
}
