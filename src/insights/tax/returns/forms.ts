/** The tax returns: which line of its form a tax belongs to, and who has such a return. */
import { locate } from '../../../billing/tax/vatPlaces.ts';
import { refuse } from '../../../lib/errors.ts';
import type { TenantScope } from '../../../tenancy/tenantScope.ts';
import { findCa3Line } from './ca3Lines.ts';
import { findOssLine } from './ossLines.ts';
import { findPlainLine } from './plainLines.ts';
import { findUstvaLine } from './ustvaLines.ts';
import type { FindLine } from './returnLines.ts';

/** The returns, and a list of everything that was taxed. */
export type TaxReturnKind = 'plain' | 'oss' | 'ustva' | 'ca3';

interface ReturnForm {
  findLine: FindLine;
  /** Whether corrections of earlier periods are listed apart, by the quarter that they correct. */
  listsCorrections?: boolean;
  /** The currency of the form; null for a list in all currencies. */
  currency: string | null;
  /**
   * By which rates amounts of other currencies are converted: of the last day of the period (directive 2006/112/EC, article 369h), or
   * of the day of each document's tax (article 91), as the document states its tax.
   */
  ratesOf?: 'period' | 'document';
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
    ratesOf: 'period',
    findObstacle: (home) => (home?.isInUnion ? undefined : 'needs seller.address in the European Union'),
  },
  ustva: {
    findLine: findUstvaLine,
    currency: 'eur',
    ratesOf: 'document',
    findObstacle: needsSellerIn('DE', 'Germany'),
  },
  ca3: {
    findLine: findCa3Line,
    currency: 'eur',
    ratesOf: 'document',
    findObstacle: needsSellerIn('FR', 'France'),
  },
};

/** A return, and how it finds its lines. */
export type OpenForm = Omit<ReturnForm, 'findObstacle'>;

/** Returns the form of a return. Error: `validation_failed` at `path` if the seller has no such return. */
export function openForm({ record }: TenantScope, kind: TaxReturnKind, path: string): OpenForm {
  const { findObstacle, ...form } = forms[kind];
  const { address } = record.seller ?? {};
  const message = findObstacle(address ? locate(address) : undefined);
  if (message) refuse('validation_failed', { path, message });
  return form;
}
