/** Sellers of eleven countries, and buyers, for the documents that official validators judge. Their ids have valid check digits. */

interface Party {
  companyName: string;
  address: { line1: string; city: string; postalCode: string; country: string; region?: string };
  taxIds: { type: string; value: string }[];
  electronicAddress: { scheme: string; value: string };
  legalRegistration?: { scheme: string; value: string };
}

const describe = (
  companyName: string,
  [line1, postalCode, city, country]: [string, string, string, string],
  taxId: string,
  address: [string, string],
  register?: [string, string],
): Party => ({
  companyName,
  address: { line1, city, postalCode, country },
  taxIds: [{ type: country === 'NO' ? 'no_vat' : country === 'IS' ? 'other' : 'eu_vat', value: taxId }],
  electronicAddress: { scheme: address[0], value: address[1] },
  ...(register && { legalRegistration: { scheme: register[0], value: register[1] } }),
});

/** The seller of a country, a company there that buys, the currency of the country, and the formats that its sellers use. */
export const countries = {
  AT: {
    seller: describe('Nord GmbH', ['Ring 1', '1010', 'Wien', 'AT'], 'ATU10223006', ['9914', 'ATU10223006']),
    buyer: describe('Süd & Söhne KG', ['Gasse 2', '8010', 'Graz', 'AT'], 'ATU00000024', [
      '9914',
      'ATU00000024',
    ]),
    currency: 'eur',
    formats: ['peppol_bis_3', 'ubl', 'cii', 'factur_x'],
  },
  BE: {
    seller: describe('Noord SRL', ['Rue Haute 1', '1000', 'Bruxelles', 'BE'], 'BE0428759497', [
      '0208',
      '0428759497',
    ]),
    buyer: describe('Zuid BV', ['Meir 2', '2000', 'Antwerpen', 'BE'], 'BE0411905847', ['0208', '0411905847']),
    currency: 'eur',
    formats: ['peppol_bis_3', 'ubl', 'cii', 'factur_x'],
  },
  DE: {
    seller: describe('Nordlicht GmbH', ['Torstraße 1', '10119', 'Berlin', 'DE'], 'DE136695976', [
      '9930',
      'DE136695976',
    ]),
    buyer: describe('Bezirksamt <Mitte>', ['Platz 1', '10178', 'Berlin', 'DE'], 'DE111111125', [
      '9930',
      'DE111111125',
    ]),
    currency: 'eur',
    formats: ['xrechnung', 'xrechnung_cii', 'peppol_bis_3', 'factur_x', 'ubl', 'cii'],
  },
  DK: {
    seller: describe(
      'Nord ApS',
      ['Strøget 1', '1150', 'København', 'DK'],
      'DK12345674',
      ['0184', 'DK12345674'],
      ['0184', 'DK12345674'],
    ),
    buyer: describe('Syd A/S', ['Gade 2', '8000', 'Aarhus', 'DK'], 'DK35200010', ['0184', '35200010']),
    currency: 'dkk',
    formats: ['peppol_bis_3', 'ubl', 'cii'],
  },
  ES: {
    seller: describe('Norte S.L.', ['Calle Mayor 1', '28013', 'Madrid', 'ES'], 'ESA0011012B', [
      '9920',
      'ESA0011012B',
    ]),
    buyer: describe('Sur S.A.', ['Plaza 2', '41001', 'Sevilla', 'ES'], 'ES00000001R', [
      '9920',
      'ES00000001R',
    ]),
    currency: 'eur',
    formats: ['peppol_bis_3', 'ubl', 'cii', 'factur_x'],
  },
  FR: {
    seller: describe(
      'Aurore SAS',
      ['4 rue de la République', '69001', 'Lyon', 'FR'],
      'FR44732829320',
      ['0225', '732829320'],
      ['0002', '732829320'],
    ),
    buyer: describe(
      'Lumière SAS',
      ['1 quai Claude Bernard', '69007', 'Lyon', 'FR'],
      'FR03784359069',
      ['0225', '784359069_COMPTA'],
      ['0002', '784359069'],
    ),
    currency: 'eur',
    formats: ['factur_x_fr', 'ubl_fr', 'peppol_bis_3', 'factur_x', 'ubl', 'cii'],
  },
  GR: {
    seller: describe('Βορράς ΑΕ', ['Ερμού 1', '105 63', 'Αθήνα', 'GR'], 'EL094019990', ['9933', '094019990']),
    buyer: describe('Νότος ΕΠΕ', ['Τσιμισκή 2', '546 24', 'Θεσσαλονίκη', 'GR'], 'EL123456783', [
      '9933',
      '123456783',
    ]),
    currency: 'eur',
    formats: ['ubl', 'cii', 'factur_x'],
  },
  IT: {
    seller: describe('Nord S.r.l.', ['Via Roma 1', '20121', 'Milano', 'IT'], 'IT00079760328', [
      '0211',
      'IT00079760328',
    ]),
    buyer: describe('Sud S.p.A.', ['Corso 2', '80133', 'Napoli', 'IT'], 'IT00000010215', [
      '0211',
      'IT00000010215',
    ]),
    currency: 'eur',
    formats: ['peppol_bis_3', 'ubl', 'cii'],
  },
  NL: {
    seller: describe(
      'Noorderlicht B.V.',
      ['Damrak 1', '1012 LG', 'Amsterdam', 'NL'],
      'NL000000024B01',
      ['0106', '12345678'],
      ['0106', '12345678'],
    ),
    buyer: describe(
      'Grachten B.V.',
      ['Singel 2', '1013 GA', 'Amsterdam', 'NL'],
      'NL010000446B01',
      ['0106', '87654321'],
      ['0106', '87654321'],
    ),
    currency: 'eur',
    formats: ['peppol_bis_3', 'ubl', 'cii'],
  },
  NO: {
    seller: describe(
      'Nord AS',
      ['Karl Johans gate 1', '0154', 'Oslo', 'NO'],
      'NO974760673MVA',
      ['0192', '974760673'],
      ['0192', '974760673'],
    ),
    buyer: describe('Sør AS', ['Torget 2', '5014', 'Bergen', 'NO'], 'NO923456783MVA', ['0192', '923456783']),
    currency: 'nok',
    formats: ['peppol_bis_3', 'ubl', 'cii'],
  },
  SE: {
    seller: describe(
      'Norr AB',
      ['Drottninggatan 1', '111 51', 'Stockholm', 'SE'],
      'SE556677889901',
      ['0007', '5566778899'],
      ['0007', '5566778899'],
    ),
    buyer: describe('Söder AB', ['Torg 2', '411 10', 'Göteborg', 'SE'], 'SE212000014201', [
      '0007',
      '2120000142',
    ]),
    currency: 'sek',
    formats: ['peppol_bis_3', 'ubl', 'cii'],
  },
} satisfies Record<string, { seller: Party; buyer: Party; currency: string; formats: string[] }>;

export type Country = keyof typeof countries;

/**
 * Small businesses, exempt by § 19 UStG, article 293 B CGI and the KOR: the ids that they have instead of those of other sellers. The
 * standard asks even them for a tax number (BR-E-02).
 */
export const exemptSellers: Partial<Record<Country, { taxIds?: Party['taxIds']; registration?: string }>> = {
  DE: { taxIds: [{ type: 'other', value: '30/123/45678' }] },
  FR: { taxIds: [{ type: 'other', value: '732829320' }] },
  NL: {},
};

/** Who buys of a seller: a company at home, one of another state, a person abroad, a company overseas, and an exempt one. */
export function listBuyers(home: Country): object[] {
  const abroad = home === 'DE' ? countries.FR.buyer : countries.DE.buyer;
  return [
    { ...countries[home].buyer, buyerReference: '04011000-12345-03' },
    { ...abroad, buyerReference: 'Achats & co.' },
    {
      address: {
        line1: 'Via Po 3',
        city: 'Torino',
        postalCode: '10123',
        country: home === 'IT' ? 'ES' : 'IT',
      },
      buyerReference: 'private',
      electronicAddress: { scheme: '0088', value: '4000000000006' },
    },
    {
      companyName: 'Lights Inc.',
      address: { line1: 'Main street 1', city: 'Boston', postalCode: '02108', region: 'MA', country: 'US' },
      buyerReference: 'AP-7',
      electronicAddress: { scheme: '0060', value: '123456789' },
    },
    {
      ...countries[home].buyer,
      companyName: 'Charity of the town',
      taxExempt: true,
      buyerReference: 'gifts',
    },
  ];
}
