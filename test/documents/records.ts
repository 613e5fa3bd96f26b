/** Records of documents for the tests: one plain invoice, and what differs from it. */
import type { DocumentLine, DocumentRecord } from '../../src/documents/record.ts';

/** An invoice of a German seller to a German customer with one line, to be paid by transfer. */
export const plainRecord: DocumentRecord = {
  kind: 'invoice',
  number: 'RE-2026-00042',
  issueDate: '2026-11-01',
  issuedAt: '2026-11-01T08:30:00.000Z',
  dueDate: '2026-11-15',
  currency: 'eur',
  currencyDecimals: 2,
  locale: 'en',
  seller: {
    legalName: 'Fernblick Software GmbH',
    address: buildAddress('Lindenstraße 12', 'Berlin', '10969', 'DE'),
    taxIds: [{ type: 'eu_vat', value: 'DE136695976' }],
    registration: 'HRB 123456 B, Amtsgericht Charlottenburg',
    footer:
      'Fernblick Software GmbH · Managing directors: Jana Weiß, Ömer Yıldız · billing@fernblick.example',
    logo: null,
  },
  buyer: {
    name: 'Clara Hoffmann',
    companyName: 'Hoffmann & Söhne KG',
    email: 'buchhaltung@hoffmann.example',
    address: buildAddress('Marktplatz 3', 'Freiburg im Breisgau', '79098', 'DE'),
    taxIds: [{ type: 'eu_vat', value: 'DE113298780' }],
  },
  credits: null,
  period: { from: '2026-11-01', to: '2026-11-30' },
  lines: [
    {
      description: 'Team plan',
      details: [],
      period: { from: '2026-11-01', to: '2026-11-30' },
      quantity: '12',
      unitPrice: '9.50',
      listMinor: '11400',
      discounts: [],
      netMinor: '11400',
      taxMinor: '2166',
      tax: { category: 'S', percent: '19' },
    },
  ],
  taxes: [{ category: 'S', percent: '19', taxableMinor: '11400', taxMinor: '2166' }],
  pricesIncludeTax: false,
  totals: {
    subtotalMinor: '11400',
    discountMinor: '0',
    netMinor: '11400',
    taxMinor: '2166',
    totalMinor: '13566',
    balanceMinor: '0',
    payableMinor: '13566',
  },
  payment: {
    kind: 'transfer',
    bankAccount: {
      accountHolder: 'Fernblick Software GmbH',
      iban: 'DE02120300000000202051',
      bic: 'BYLADEM1001',
      bankName: 'Deutsche Kreditbank',
    },
    reference: 'RF18539007547034',
    termsDays: 14,
  },
  note: null,
};

function buildAddress(line1: string, city: string, postalCode: string, country: string) {
  return { line1, line2: null, city, postalCode, region: null, country };
}

interface LineInput extends Partial<DocumentLine> {
  percent?: string;
}

/** Returns the plain record with other lines, with taxes and totals that follow from them (tax on top). */
export function withLines(inputs: LineInput[], others: Partial<DocumentRecord> = {}): DocumentRecord {
  const lines = inputs.map(completeLine);
  const sum = (some: DocumentLine[], pick: (line: DocumentLine) => string) =>
    some.reduce((total, line) => total + BigInt(pick(line)), 0n);
  const taxes = [...new Set(lines.map(({ tax }) => tax!.percent))].map((percent) => {
    const taxed = lines.filter(({ tax }) => tax!.percent === percent);
    const taxable = sum(taxed, ({ netMinor }) => netMinor);
    const taxMinor = (taxable * BigInt(percent) + 50n) / 100n;
    return {
      category: taxed[0]!.tax!.category,
      percent,
      taxableMinor: String(taxable),
      taxMinor: String(taxMinor),
    };
  });
  const listed = sum(lines, ({ listMinor }) => listMinor);
  const net = sum(lines, ({ netMinor }) => netMinor);
  const tax = taxes.reduce((total, { taxMinor }) => total + BigInt(taxMinor), 0n);
  return {
    ...plainRecord,
    lines,
    taxes,
    totals: {
      subtotalMinor: String(listed),
      discountMinor: String(listed - net),
      netMinor: String(net),
      taxMinor: String(tax),
      totalMinor: String(net + tax),
      balanceMinor: '0',
      payableMinor: String(net + tax),
    },
    ...others,
  };
}

function completeLine({ percent = '19', ...input }: LineInput): DocumentLine {
  const listMinor = input.listMinor ?? '11400';
  const discounts = input.discounts ?? [];
  const netMinor = String(
    discounts.reduce((left, { amountMinor }) => left - BigInt(amountMinor), BigInt(listMinor)),
  );
  return {
    ...plainRecord.lines[0]!,
    listMinor,
    discounts,
    netMinor,
    taxMinor: String((BigInt(netMinor) * BigInt(percent)) / 100n),
    tax: { category: 'S', percent },
    ...input,
  };
}

const november = { from: '2026-11-14', to: '2026-11-30' };
const modules = [
  'Backups',
  'Audit log',
  'Single sign-on',
  'Priority support',
  'Sandbox',
  'Extra storage, 250 GB',
];

/** Twelve lines with discounts and prorations. */
export const mixedRecord = withLines([
  { description: 'Team plan', discounts: [{ name: 'Launch offer (10%)', amountMinor: '1140' }] },
  {
    description: 'Team plan: 3 more seats from 14 November',
    details: ['17 of 30 days: 3 × 9.50 × 17 ÷ 30 = 16.15'],
    period: november,
    quantity: '1',
    unitPrice: '16.15',
    listMinor: '1615',
  },
  {
    description: 'Credit for the unused part of the Starter plan',
    details: ['17 of 30 days unused: 29.00 × 17 ÷ 30 = 16.43'],
    period: november,
    quantity: '1',
    unitPrice: '-16.43',
    listMinor: '-1643',
  },
  {
    description: 'API calls',
    details: ['First 10,000: included', 'Next 40,000: 0.0004 each = 16.00', 'Above: 12,500 × 0.0002 = 2.50'],
    period: { from: '2026-10-01', to: '2026-10-31' },
    quantity: '62500',
    unitPrice: '0.000296',
    listMinor: '1850',
  },
  {
    description: 'Printed handbook',
    period: null,
    quantity: '2',
    unitPrice: '24.00',
    listMinor: '4800',
    percent: '7',
  },
  ...modules.map((description, index) => ({
    description,
    quantity: '1',
    unitPrice: `${5 + index}.00`,
    listMinor: String((5 + index) * 100),
    discounts: index % 3 === 0 ? [{ name: 'Bundle', amountMinor: '100' }] : [],
  })),
  {
    description: 'Onboarding workshop',
    period: null,
    quantity: '1.5',
    unitPrice: '180.00',
    listMinor: '27000',
  },
]);

/** The plain invoice credited in full. */
export const creditNote: DocumentRecord = {
  ...plainRecord,
  kind: 'credit_note',
  number: 'GS-2026-00007',
  issueDate: '2026-11-20',
  issuedAt: '2026-11-20T16:02:11.000Z',
  dueDate: null,
  credits: { number: 'RE-2026-00042', issueDate: '2026-11-01' },
  payment: { kind: 'refunded', bankAccount: null, reference: null, termsDays: null },
  note: 'Two weeks of the service were not available.',
};

/** A supply to a company of another member state. */
export const reverseCharge: DocumentRecord = {
  ...plainRecord,
  locale: 'fr-FR',
  buyer: {
    name: 'Amélie Dubois',
    companyName: 'Atelier Lumière SARL',
    email: 'compta@lumiere.example',
    address: buildAddress('18, rue de la République', 'Lyon', '69002', 'FR'),
    taxIds: [{ type: 'eu_vat', value: 'FR03784359069' }],
  },
  lines: [{ ...plainRecord.lines[0]!, taxMinor: '0', tax: { category: 'AE', percent: '0' } }],
  taxes: [{ category: 'AE', percent: '0', taxableMinor: '11400', taxMinor: '0', reason: 'reverse_charge' }],
  totals: { ...plainRecord.totals, taxMinor: '0', totalMinor: '11400', payableMinor: '11400' },
};

/** An invoice in Persian, charged to a payment method, in a currency without SEPA. */
export const persian: DocumentRecord = {
  ...mixedRecord,
  number: 'INV-1405-00021',
  locale: 'fa',
  currency: 'afn',
  seller: {
    ...plainRecord.seller,
    legalName: 'شرکت نرم‌افزار آریانا',
    address: buildAddress('جادهٔ دارالامان، کوچهٔ ۴', 'کابل', '1006', 'AF'),
    taxIds: [{ type: 'other', value: '9000123456' }],
    registration: 'ثبت ۴۵۶۷۸ کابل',
    footer: 'شرکت نرم‌افزار آریانا · پشتیبانی: billing@ariana.example',
  },
  buyer: {
    name: 'احمد رحیمی',
    companyName: 'مؤسسهٔ آموزشی Kabul Code (کابل)',
    email: 'ahmad@kabulcode.example',
    address: buildAddress('شهر نو، خیابان ۱۵', 'کابل', '1001', 'AF'),
    taxIds: [],
  },
  lines: mixedRecord.lines.map((line, index) => ({
    ...line,
    description: index % 3 === 2 ? line.description : `اشتراک ماهانهٔ طرح ${index + 1} (Team)`,
    details: line.details.map(() => '۱۷ روز از ۳۰ روز: ۲۹٫۰۰ × ۱۷ ÷ ۳۰'),
    discounts: line.discounts.map((discount) => ({ ...discount, name: 'کد NOWRUZ10' })),
  })),
  payment: { kind: 'charged', bankAccount: null, reference: null, termsDays: null },
  dueDate: null,
};

/** An invoice in Arabic with the digits of Egypt, paid by a transfer to an account without an IBAN. */
export const arabic: DocumentRecord = {
  ...mixedRecord,
  number: 'INV-2026-00031',
  locale: 'ar-EG',
  currency: 'egp',
  seller: {
    ...plainRecord.seller,
    legalName: 'شركة النيل للبرمجيات (ش.م.م)',
    address: buildAddress('١٢ شارع التحرير، الدقي', 'الجيزة', '12311', 'EG'),
    taxIds: [{ type: 'other', value: '100-234-567' }],
    registration: '45678 القاهرة',
    footer: 'شركة النيل للبرمجيات · الدعم: billing@nile.example',
  },
  buyer: {
    name: 'فاطمة الزهراء عبد الرحمن',
    companyName: 'مؤسسة Cloud Egypt (القاهرة)',
    email: 'fatma@cloud.example',
    address: buildAddress('٥ شارع طلعت حرب', 'القاهرة', '11511', 'EG'),
    taxIds: [{ type: 'other', value: '300-111-222' }],
  },
  lines: mixedRecord.lines.map((line, index) => ({
    ...line,
    description: index % 3 === 2 ? line.description : `الاشتراك الشهري، الباقة ${index + 1} (Team)`,
    details: line.details.map(() => 'الأيام: ٧٫٤ من ٣١، بسعر ٢٩٫٠٠ EGP'),
    discounts: line.discounts.map((discount) => ({ ...discount, name: 'عرض الإطلاق NILE10' })),
  })),
};

/** An invoice in Hebrew, with a name in Arabic and vowel points in another. */
export const hebrew: DocumentRecord = {
  ...mixedRecord,
  number: 'INV-2026-00032',
  locale: 'he-IL',
  currency: 'ils',
  seller: {
    ...plainRecord.seller,
    legalName: 'אורן תוכנה בע״מ',
    address: buildAddress('רחוב הרצל 15', 'תל אביב־יפו', '6688312', 'IL'),
    taxIds: [{ type: 'other', value: '514123456' }],
    registration: 'ח.פ. 514123456',
    footer: 'אורן תוכנה בע״מ · תמיכה: billing@oren.example',
  },
  buyer: {
    name: 'דָּוִד כהן',
    companyName: 'Galil Robotics (גליל) בע״מ',
    email: 'david@galil.example',
    address: buildAddress('شارع بولس 3', 'חיפה', '3303139', 'IL'),
    taxIds: [{ type: 'other', value: '513987654' }],
  },
  lines: mixedRecord.lines.map((line, index) => ({
    ...line,
    description: index % 3 === 2 ? line.description : `מינוי חודשי, תוכנית ${index + 1} (Team)`,
    details: line.details.map(() => '7.4 מתוך 31 ימים, לפי 29.00 ILS'),
    discounts: line.discounts.map((discount) => ({ ...discount, name: 'מבצע OREN10' })),
  })),
};
