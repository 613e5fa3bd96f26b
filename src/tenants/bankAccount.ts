/** The bank account that payers transfer money to. */
import * as z from 'zod';
import { coded } from '../lib/issueCodes.ts';

const lineLength = 200;
const instructionsLength = 1000;

const line = z.string().trim().max(lineLength, `must be at most ${lineLength} characters`);
/** Optional text; an empty string is stored as null. */
const optionalLine = line.nullish().transform((text) => text || null);

/** An IBAN is valid if its digits, with each letter written as two digits, are 1 modulo 97 (ISO 13616). */
function isIban(text: string): boolean {
  if (!/^[A-Z]{2}\d{2}[A-Z0-9]{11,30}$/.test(text)) return false;
  const digits = (text.slice(4) + text.slice(0, 4)).replace(/[A-Z]/g, (letter) =>
    String(parseInt(letter, 36)),
  );
  return BigInt(digits) % 97n === 1n;
}

/** A bank account in a request. */
export const bankAccount = z
  .object({
    accountHolder: line.min(1, 'must not be empty'),
    iban: optionalLine
      .transform((text) => text?.replaceAll(' ', '').toUpperCase() ?? null)
      .refine(
        (text) => text === null || isIban(text),
        coded('must be an IBAN; its check digits do not fit', 'not_an_iban'),
      ),
    accountNumber: optionalLine,
    bic: optionalLine
      .transform((text) => text?.toUpperCase() ?? null)
      .refine(
        (text) => text === null || /^[A-Z0-9]{4}[A-Z]{2}[A-Z0-9]{2}([A-Z0-9]{3})?$/.test(text),
        coded('must be a BIC of 8 or 11 characters', 'not_a_bic'),
      ),
    bankName: optionalLine,
    instructions: z
      .string()
      .trim()
      .max(instructionsLength, `must be at most ${instructionsLength} characters`)
      .nullish()
      .transform((text) => text || null),
  })
  .refine(({ iban, accountNumber }) => iban !== null || accountNumber !== null, {
    path: ['iban'],
    ...coded('is required unless accountNumber is given', 'required'),
  });
