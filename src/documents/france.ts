/**
 * E-invoices in France: AFNOR XP Z12-012, the rules BR-FR of "Flux 2", an invoice between two businesses. Published by FNFE-MPE
 * (https://github.com/fnfempe/France_RFE).
 */
import type { SchemeId } from '../storage/model/parties.ts';
import { findBuyerAddress, listSubtotals } from './en16931.ts';
import { choose, isBlank, type MissingField } from './fieldRows.ts';
import type { Profile } from './profiles.ts';
import { listCredited, type DocumentRecord } from './record.ts';

/** A note with the code of its subject (BT-21). */
export interface SubjectNote {
  code: string;
  text: string;
}

/** What the law has for a seller who has not agreed otherwise (Code de commerce, art. D441-5, L441-10 II and L441-9). */
const usualNotes = {
  recoveryFee: 'Indemnité forfaitaire pour frais de recouvrement en cas de retard de paiement : 40 €',
  latePenalties:
    'Pénalités de retard : taux de refinancement de la Banque centrale européenne majoré de 10 points',
  earlyPaymentDiscount: 'Pas d’escompte pour paiement anticipé',
};

/**
 * Returns the notes that each French invoice has: the fee for recovery (PMT), the penalties for late payment (PMD), the discount for
 * early payment (AAB), and whether it is between two businesses (BAR).
 */
export function listFrenchNotes(record: DocumentRecord): SubjectNote[] {
  const notes = { ...usualNotes, ...record.seller.paymentNotes };
  return [
    { code: 'PMT', text: notes.recoveryFee },
    { code: 'PMD', text: notes.latePenalties },
    { code: 'AAB', text: notes.earlyPaymentDiscount },
    { code: 'BAR', text: findTreatment(record) },
  ];
}

/** Returns who buys: a business in France, whose invoice goes through the platforms, one abroad, or a person. */
function findTreatment({ buyer }: DocumentRecord): 'B2B' | 'B2BINT' | 'B2C' {
  if (isBlank(buyer.companyName)) return 'B2C';
  return buyer.address?.country === 'FR' ? 'B2B' : 'B2BINT';
}

/** Returns the billing frame (BT-23): services, to be paid (S1) or paid already (S2). */
export const findBillingFrame = (record: DocumentRecord): 'S1' | 'S2' => (isPaid(record) ? 'S2' : 'S1');

/** Returns when an invoice is due (BT-9); one that is paid already was due on the day of its payment (BR-FR-CO-09). */
export const findFrenchDueDate = (record: DocumentRecord): string | null =>
  isPaid(record) ? (record.payment.paidOn ?? record.issueDate) : record.dueDate;

const isPaid = ({ kind, payment, totals }: DocumentRecord): boolean =>
  kind === 'invoice' && payment.kind === 'paid' && totals.payableMinor === '0' && totals.totalMinor !== '0';

const siren = /^\d{9}$/;
const isSiren = (id: SchemeId | undefined) => id?.scheme === '0002' && siren.test(id.value.trim());
/** An address on the platforms: the SIREN, or more after it. */
const isPlatformAddress = (id: SchemeId | null | undefined) =>
  id?.scheme === '0225' && /^[A-Za-z0-9+\-_.]{1,125}$/.test(id.value.trim());
const isNumber = (text: string) => /^[A-Za-z0-9+\-_/]{1,35}$/.test(text.trim());

/** The rates that have been in force in France and its regions (BR-FR-16). */
const rates = '0 10 13 20 8.5 19.6 2.1 5.5 7 20.6 1.05 0.9 1.75 9.2 9.6'.split(' ');

/** Lists what AFNOR XP Z12-012 requires. */
export function listMissingByFrance(record: DocumentRecord, profile: Profile): MissingField[] {
  const { seller, buyer } = record;
  const isDomestic = findTreatment(record) === 'B2B';
  const theirs = findBuyerAddress(record, profile);
  const isTheirPlatform =
    isPlatformAddress(theirs) && theirs!.value.trim().startsWith(buyer.legalRegistration?.value.trim() ?? '');
  const isMisnamed = buyer.legalRegistration?.scheme === '0002' && !isSiren(buyer.legalRegistration);
  return [
    ...choose([
      [
        !isSiren(seller.legalRegistration),
        'BT-30',
        'seller.legalRegistration',
        'the SIREN of the seller (0002)',
        'BR-FR-10',
      ],
      [
        !isPlatformAddress(seller.electronicAddress),
        'BT-34',
        'seller.electronicAddress',
        'the address of the seller on the platforms (0225)',
        'BR-FR-13',
      ],
      [
        (isDomestic && !isSiren(buyer.legalRegistration)) || isMisnamed,
        'BT-47',
        'customer.legalRegistration',
        'the SIREN of the customer (0002)',
        isDomestic ? 'BR-FR-11' : 'BR-FR-32',
      ],
      [
        isDomestic ? !isTheirPlatform : theirs === null || isMalformed(theirs),
        'BT-49',
        'customer.electronicAddress',
        isDomestic
          ? 'the address of the customer on the platforms (0225), which begins with their SIREN'
          : 'the electronic address of the customer',
        isDomestic ? 'BR-FR-21' : 'BR-FR-12',
      ],
    ]),
    ...listMissingOfFrenchDocument(record),
  ];
}

const isMalformed = (id: SchemeId) => id.scheme === '0225' && !isPlatformAddress(id);

function listMissingOfFrenchDocument(record: DocumentRecord): MissingField[] {
  const credited = listCredited(record);
  const isForeignRate = listSubtotals(record).some(
    ({ percent }) => percent !== null && !rates.includes(percent),
  );
  return choose([
    [
      !isNumber(record.number),
      'BT-1',
      'number',
      'a number of at most 35 letters, digits and +-_/',
      'BR-FR-02',
    ],
    [
      record.currency !== 'eur' && record.taxInHomeCurrency?.currency !== 'eur',
      'BT-6',
      'currency',
      'the tax in euros, besides, which needs an exchange rate',
      'BR-FR-CO-12',
    ],
    [isForeignRate, 'BT-119', 'taxRate', 'a rate of France', 'BR-FR-16'],
    [
      record.kind === 'credit_note' && credited.length === 0,
      'BT-25',
      'credits',
      'the invoice that is credited',
      'BR-FR-CO-05',
    ],
    [
      credited.some(({ number }) => !isNumber(number)),
      'BT-25',
      'credits.number',
      'a credited invoice whose number has at most 35 letters, digits and +-_/',
      'BR-FR-02',
    ],
  ]);
}
