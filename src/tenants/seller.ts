/** The seller on documents. */
import * as z from 'zod';
import { parseLogo, type CheckedLogo } from '../documents/logo.ts';
import type { BankAccount } from '../storage/model/common.ts';
import type { Seller } from '../storage/model/parties.ts';
import { bankAccount } from './bankAccount.ts';
import { storeLogo } from './logos.ts';
import {
  address,
  electronicAddress,
  legalRegistration,
  printedLine,
  printedLines,
  printedName,
  printedText,
  taxIds,
} from './parties.ts';
import { completeExemption, taxExemption } from './taxExemption.ts';
import type { UnitOfWork } from '../tenancy/unitOfWork.ts';

/** Whom buyers ask. A number of fewer than three digits is none (BR-DE-27), and an address has one @ (BR-DE-28). */
const contact = z.object({
  name: printedName,
  phone: printedName.refine((text) => /(\d.*){3}/.test(text), 'must have at least three digits'),
  email: printedName.refine(
    (text) => /^[^@\s]+@([^@.\s]+\.)+[^@.\s]+$/.test(text),
    'must be an e-mail address',
  ),
});

const note = printedText.nullish().transform((text) => text || undefined);

/** Notes about payment; those that are left out have the words of the law. */
const paymentNotes = z
  .object({ recoveryFee: note, latePenalties: note, earlyPaymentDiscount: note })
  .nullish()
  .transform((given) => {
    const stated = Object.entries(given ?? {}).filter(([, text]) => text !== undefined);
    return stated.length > 0 ? Object.fromEntries(stated) : null;
  });

/**
 * A seller in a request. Its bank account is that of the tenant; omitted, like the logo and the exemption, it stays
 * unchanged.
 */
export const seller = z.object({
  legalName: printedName,
  address: address.nullish().transform((given) => given ?? null),
  taxIds: taxIds.nullish().transform((ids) => ids ?? []),
  registration: printedLine,
  chargesNoTax: z
    .boolean()
    .nullish()
    .transform((stated) => stated ?? false),
  contact: contact.nullish().transform((given) => given ?? null),
  electronicAddress,
  legalRegistration,
  taxExemption,
  paymentNotes,
  footer: printedLines.nullish().transform((text) => text || null),
  logo: z.string().nullish(),
  bankAccount: bankAccount.nullish(),
});

type SellerColumns = { seller?: Seller | null; bankAccount?: BankAccount | null };

/**
 * Checks the logo of a seller in a request; undefined if it has none. It takes a while, so units of work get the result.
 * Error: `validation_failed`.
 */
export async function parseSellerLogo(
  wanted: { logo?: string | null } | null | undefined,
): Promise<CheckedLogo | undefined> {
  const logo = wanted?.logo;
  return typeof logo === 'string' ? parseLogo(logo, 'seller.logo') : undefined;
}

/** Returns the columns of a tenant for a seller, and stores its logo, which `parseSellerLogo` has checked. */
export async function changeSeller(
  unit: UnitOfWork,
  wanted: z.output<typeof seller> | null | undefined,
  image: CheckedLogo | undefined,
): Promise<SellerColumns> {
  if (wanted === undefined) return {};
  if (wanted === null) return { seller: null };
  const { logo, bankAccount: account, ...given } = wanted;
  // Stored where given: traces of most sellers have none of these.
  const {
    contact: asked,
    electronicAddress: receives,
    legalRegistration: entry,
    taxExemption: exemption = unit.tenant.seller?.taxExemption,
    paymentNotes: notes,
    ...fields
  } = given;
  const known = logo === undefined ? (unit.tenant.seller?.logoId ?? null) : null;
  const logoId = image ? await storeLogo(unit, image) : known;
  return {
    seller: {
      ...fields,
      ...(asked && { contact: asked }),
      ...(receives && { electronicAddress: receives }),
      ...(entry && { legalRegistration: entry }),
      ...(exemption && { taxExemption: completeExemption(exemption, fields.address) }),
      ...(notes && { paymentNotes: notes }),
      logoId,
    },
    ...(account !== undefined && { bankAccount: account }),
  };
}
