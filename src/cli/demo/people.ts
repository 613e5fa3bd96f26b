import type { Random } from '../../lib/random.ts';
import { companyNames, companyTrades, places, type Place } from './places.ts';

/** A customer of the demo, as `createCustomer` takes it. */
export interface Person {
  place: Place;
  isCompany: boolean;
  fields: Record<string, unknown>;
}

/** How often a company of the European Union gives its VAT id. */
const vatIdProbability = 0.6;

const byCountry = new Map(places.map((place) => [place.country, place]));
const weights = Object.fromEntries(places.map(({ country, weight }) => [country, weight]));

/** Invents a customer; `index` makes their id at the client unique. */
export function inventPerson(random: Random, index: number, isCompany: boolean): Person {
  const place = byCountry.get(random.weighted(weights))!;
  const firstName = random.pick(place.firstNames);
  const lastName = random.pick(place.lastNames);
  const company = `${random.pick(companyNames)} ${random.pick(companyTrades)}`;
  const [city, postalCode, region = null] = random.pick(place.cities);
  const line1 = `${random.whole(1, 140)} ${random.pick(place.streets)}`;
  const gives = random.chance(vatIdProbability);
  const taxIds = isCompany && place.vatId && gives ? [{ type: 'eu_vat', value: place.vatId }] : null;
  const domain = isCompany ? `${toAscii(company)}.example` : 'mail.example';
  return {
    place,
    isCompany,
    fields: {
      associatedId: `account-${1000 + index}`,
      firstName,
      lastName,
      email: `${toAscii(firstName) || 'hello'}.${toAscii(lastName) || index}@${domain}`,
      companyName: isCompany ? `${company} ${random.pick(place.forms)}` : null,
      address: { line1, city, postalCode, region, country: place.country },
      taxIds,
      locale: place.locale,
      metadata: { source: random.pick(['search', 'search', 'referral', 'conference', 'newsletter']) },
    },
  };
}

/** The letters of a name for an e-mail address: `Yıldız` becomes `yildiz`. */
const toAscii = (name: string) =>
  name
    .replaceAll('ı', 'i')
    .replaceAll('ß', 'ss')
    .normalize('NFKD')
    .toLowerCase()
    .replaceAll(/[^a-z]/g, '');
