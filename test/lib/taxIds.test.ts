/** The forms of VAT ids. Ids are of companies that publish them, or computed by the rule of the authority. */
import { describe, expect, it } from 'vitest';
import { findVatCountry, findVatType, taxIdParsers } from '../../src/lib/taxIds.ts';
import { vatIdForms } from '../../src/lib/vatIdForms.ts';

type Row = [type: 'eu_vat' | 'gb_vat' | 'ch_vat' | 'no_vat', given: string, parsed?: string];

const same = (type: Row[0], ids: string): Row[] => ids.split(' ').map((id) => [type, id, id]);
const invalid = (type: Row[0], ids: string): Row[] => ids.split(' ').map((id) => [type, id]);

const valid: Row[] = [
  ...same('eu_vat', 'ATU10223006 ATU00000024'),
  // Enterprise numbers of the series from 1, which new companies have.
  ...same('eu_vat', 'BE1000000021 BE1012345646 BE1001686633 BE1006023325 BE1000003682 BE0411905847'),
  ['eu_vat', 'BE 1000.000.021', 'BE1000000021'],
  ['eu_vat', 'BE 430.973.770', 'BE0430973770'],
  ...same('eu_vat', 'BG204514061 BG831635482'),
  // The series from 6 of the register of 2023, and the one before.
  ...same('eu_vat', 'CY60001744K CY10259033P CY99000230P CY90000005D'),
  ...same('eu_vat', 'CZ25123891 CZ7103192745 CZ699000899 CZ682127228 CZ510310055'),
  // A birth number of which the remainder is 10.
  ...same('eu_vat', 'CZ7801233540'),
  ...same('eu_vat', 'DE111111125 DE136695976 DK13585628 EE100931558 EL023456780 EL800620092'),
  ['eu_vat', 'GR023456780', 'EL023456780'],
  // Companies, civil partnerships, joint ventures, public bodies and people.
  ...same(
    'eu_vat',
    'ESB58378431 ESJ99216582 ESJ9921658B ESU9921658B ESQ2818002D ESQ28180024 ES54362315K ESX5253868R',
  ),
  ...same('eu_vat', 'FI20774740 FR83404833048 FR03784359069 HR33392005961 HU12892312 IT00743110157'),
  ...same('eu_vat', 'FR0B123456789 FRK7399859412'),
  // One letter, the second letters A and H of 2013, other letters of VIES, wives, and the old form.
  ...same(
    'eu_vat',
    'IE6433435F IE6433435OA IE3206488LH IE3706224MH IE6433435AB IE6433435FW IE8F52100V IE8Y41127O',
  ),
  ...same('eu_vat', 'IE0Y41127V IE7+12345J IE7*12345J'),
  ...same('eu_vat', 'LT119511515 LT100001919017 LU15027442 LV40003521600 LV16117519997'),
  // Personal codes without a date of birth.
  ...same('eu_vat', 'LV32867300679 LV38999999999'),
  ...same('eu_vat', 'MT11679112 PL8567346215 PT501964843 RO18547290 SE556188840401 SI50223054 SK2022749619'),
  // A company, and sole traders since 2020, whose ids have the check of ISO 7064 alone.
  ...same('eu_vat', 'NL010000446B01 NL002455799B11 NL002014005B30'),
  ...same('gb_vat', 'GB980780684 GB340804329 GBGD001 GBHA599 XI980780684'),
  ...same('ch_vat', 'CHE123456788MWST CHE107787577IVA'),
  ...same('no_vat', 'NO995525828MVA NO995525828'),
];

const refused: Row[] = [
  ...invalid('eu_vat', 'BE1000000022 BE2000000042 BE10000000211 BE100000002'),
  ...invalid('eu_vat', 'CY60001744L CY70001744M CY6000174K'),
  ...invalid('eu_vat', 'CZ7801233541 CZ7841233540'),
  ...invalid('eu_vat', 'ESJ9921658C ESI9921658B ESU99216583'),
  ...invalid('eu_vat', 'IE6433435QA IE6433435FX IE64+3435F IE7+12345M'),
  ...invalid('eu_vat', 'LV31867300679 LV3286730067'),
  ...invalid(
    'eu_vat',
    'DE111111126 FRIO123456789 NL002455799B12 XI980780684 GB980780684 EU372000041 __PROTO__ ',
  ),
  ...invalid('gb_vat', 'GB802311781 XI802311781 XIGB980780684 980780684 DE111111125'),
];

const parse = ([type, given]: Row) => taxIdParsers[type](given);

describe('VAT ids', () => {
  it.each(valid)('%s %s is well formed', (...row) => {
    expect(parse(row)).toBe(row[2]);
    // What is stored is parsed to itself.
    expect(taxIdParsers[row[0]](row[2]!)).toBe(row[2]);
  });
  it.each(refused)('%s %s is malformed', (...row) => {
    expect(parse(row)).toBeUndefined();
  });
  it('names a source for each form', () => {
    for (const { source } of Object.values(vatIdForms)) expect(source.length).toBeGreaterThan(20);
  });
  it.each([
    ['BE1000000021', 'BE', 'eu_vat'],
    ['EL023456780', 'GR', 'eu_vat'],
    ['XI980780684', undefined, 'gb_vat'],
    ['CHE123456788', undefined, 'ch_vat'],
  ])('%s is of %s, %s', (id, country, type) => {
    expect(findVatCountry(id)).toBe(country);
    expect(findVatType(id)).toBe(type);
  });
});
