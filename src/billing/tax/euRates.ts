/**
 * The standard VAT rates of the member states of the European Union with the dates from which they apply, and the
 * territories with a rate of their own.
 *
 * Source: European Commission, "VAT rates applied in the Member States of the European Union" and the Taxes in Europe
 * Database (https://ec.europa.eu/taxation_customs/tedb). Territories: Directive 2006/112/EC, articles 6 and 7, and for France
 * articles 294 and 296 of the Code général des impôts.
 */

/** The date of the copy of the Taxes in Europe Database (github.com/vatnode/eu-vat-rates-data) with which all rates of member states agree. */
export const builtInCheckedUntil = '2026-09-23';

/** A standard rate in percent, and the date from which it applies. */
export interface DatedRate {
  effectiveFrom: string;
  percent: string;
}

/** The standard rates of each member state, oldest first. The first also applies to earlier dates. */
export const standardRates: Readonly<Record<string, readonly DatedRate[]>> = {
  AT: [{ effectiveFrom: '1984-01-01', percent: '20' }],
  BE: [{ effectiveFrom: '1996-01-01', percent: '21' }],
  BG: [{ effectiveFrom: '1999-01-01', percent: '20' }],
  CY: [
    { effectiveFrom: '2013-01-14', percent: '18' },
    { effectiveFrom: '2014-01-13', percent: '19' },
  ],
  CZ: [{ effectiveFrom: '2013-01-01', percent: '21' }],
  DE: [
    { effectiveFrom: '2007-01-01', percent: '19' },
    { effectiveFrom: '2020-07-01', percent: '16' },
    { effectiveFrom: '2021-01-01', percent: '19' },
  ],
  DK: [{ effectiveFrom: '1992-01-01', percent: '25' }],
  EE: [
    { effectiveFrom: '2009-07-01', percent: '20' },
    { effectiveFrom: '2024-01-01', percent: '22' },
    { effectiveFrom: '2025-07-01', percent: '24' },
  ],
  ES: [{ effectiveFrom: '2012-09-01', percent: '21' }],
  FI: [
    { effectiveFrom: '2013-01-01', percent: '24' },
    { effectiveFrom: '2024-09-01', percent: '25.5' },
  ],
  FR: [
    { effectiveFrom: '2000-04-01', percent: '19.6' },
    { effectiveFrom: '2014-01-01', percent: '20' },
  ],
  GR: [
    { effectiveFrom: '2010-07-01', percent: '23' },
    { effectiveFrom: '2016-06-01', percent: '24' },
  ],
  HR: [{ effectiveFrom: '2012-03-01', percent: '25' }],
  HU: [{ effectiveFrom: '2012-01-01', percent: '27' }],
  IE: [
    { effectiveFrom: '2012-01-01', percent: '23' },
    { effectiveFrom: '2020-09-01', percent: '21' },
    { effectiveFrom: '2021-03-01', percent: '23' },
  ],
  IT: [
    { effectiveFrom: '2011-09-17', percent: '21' },
    { effectiveFrom: '2013-10-01', percent: '22' },
  ],
  LT: [{ effectiveFrom: '2009-09-01', percent: '21' }],
  LU: [
    { effectiveFrom: '2015-01-01', percent: '17' },
    { effectiveFrom: '2023-01-01', percent: '16' },
    { effectiveFrom: '2024-01-01', percent: '17' },
  ],
  LV: [{ effectiveFrom: '2012-07-01', percent: '21' }],
  MT: [{ effectiveFrom: '2004-01-01', percent: '18' }],
  NL: [{ effectiveFrom: '2012-10-01', percent: '21' }],
  PL: [{ effectiveFrom: '2011-01-01', percent: '23' }],
  PT: [{ effectiveFrom: '2011-01-01', percent: '23' }],
  RO: [
    { effectiveFrom: '2010-07-01', percent: '24' },
    { effectiveFrom: '2016-01-01', percent: '20' },
    { effectiveFrom: '2017-01-01', percent: '19' },
    { effectiveFrom: '2025-08-01', percent: '21' },
  ],
  SE: [{ effectiveFrom: '1990-07-01', percent: '25' }],
  SI: [
    { effectiveFrom: '2002-01-01', percent: '20' },
    { effectiveFrom: '2013-07-01', percent: '22' },
  ],
  SK: [
    { effectiveFrom: '2011-01-01', percent: '20' },
    { effectiveFrom: '2025-01-01', percent: '23' },
  ],
};

/** The rates of Northern Ireland, where the goods of the Union are taxed as in a member state. */
export const northernIreland: readonly DatedRate[] = [{ effectiveFrom: '2011-01-04', percent: '20' }];

/** A part of a member state with a rate of its own, or outside the territory of the directive; recognized by its postcodes. */
export interface Territory {
  country: string;
  name: string;
  /** Starts of its postcodes. */
  postcodes: readonly string[];
  /** Whether the directive applies there (article 6). */
  isInUnion: boolean;
  /** Of the VAT of the member state there, oldest first; empty if there is none. */
  rates: readonly DatedRate[];
}

const outside = { isInUnion: false, rates: [] } as const;
/** Outside of the directive, but with the VAT of the member state (article 294 of the Code général des impôts). */
const national = (percent: string) => ({ isInUnion: false, rates: fixed(percent) });
const reduced = (percent: string) => ({ isInUnion: true, rates: fixed(percent) });

/**
 * The first whose postcode matches counts. The islands of the Channel and the Isle of Man have codes of their own, and so have all
 * islands of France; their addresses often have the code of the country.
 */
export const territories: readonly Territory[] = [
  { country: 'AT', name: 'Jungholz', postcodes: ['6691'], ...reduced('19') },
  { country: 'AT', name: 'Mittelberg', postcodes: ['6991', '6992', '6993'], ...reduced('19') },
  { country: 'DE', name: 'Büsingen', postcodes: ['78266'], ...outside },
  { country: 'DE', name: 'Heligoland', postcodes: ['27498'], ...outside },
  // The first two digits are the province.
  { country: 'ES', name: 'Canary Islands', postcodes: ['35', '38'], ...outside },
  { country: 'ES', name: 'Ceuta', postcodes: ['51'], ...outside },
  { country: 'ES', name: 'Melilla', postcodes: ['52'], ...outside },
  { country: 'FI', name: 'Åland', postcodes: ['22'], ...outside },
  // They were part of Guadeloupe, and kept its postcodes.
  {
    country: 'FR',
    name: 'Saint Barthélemy, Saint Martin',
    postcodes: ['97133', '97150', '977', '978'],
    ...outside,
  },
  { country: 'FR', name: 'Guadeloupe, Martinique', postcodes: ['971', '972'], ...national('8.5') },
  { country: 'FR', name: 'Réunion', postcodes: ['974'], ...national('8.5') },
  { country: 'FR', name: 'French Guiana, Mayotte', postcodes: ['973', '976'], ...outside },
  // Not part of the Union: Saint Pierre and Miquelon, the Antarctic islands, Wallis and Futuna, Polynesia and New Caledonia.
  {
    country: 'FR',
    name: 'Overseas collectivities',
    postcodes: ['975', '984', '986', '987', '988'],
    ...outside,
  },
  { country: 'GR', name: 'Mount Athos', postcodes: ['63086'], ...outside },
  { country: 'IT', name: 'Campione d’Italia', postcodes: ['22061'], ...outside },
  { country: 'IT', name: 'Livigno', postcodes: ['23041'], ...outside },
  { country: 'PT', name: 'Madeira', postcodes: ['90', '91', '92', '93', '94'], ...reduced('22') },
  {
    country: 'PT',
    name: 'Azores',
    postcodes: ['95', '96', '97', '98', '99'],
    isInUnion: true,
    rates: [
      { effectiveFrom: '2014-01-01', percent: '18' },
      { effectiveFrom: '2021-07-01', percent: '16' },
    ],
  },
];

function fixed(percent: string): readonly DatedRate[] {
  return [{ effectiveFrom: '2012-04-01', percent }];
}
