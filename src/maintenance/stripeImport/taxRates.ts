/** Stripe's tax rates, which become the tenant's rates for their places. */
import { formatDecimal, parseDecimal } from '../../lib/decimal.ts';
import { makeOnce } from '../../lib/makeOnce.ts';
import type { UnitOfWork } from '../../tenancy/unitOfWork.ts';
import { createTaxRate } from '../../billing/tax/taxRates.ts';
import { normalizeRegion } from '../../billing/tax/vatPlaces.ts';
import { reportLosses, skipIfRefused, skipRecord, type ImportReport } from './importReport.ts';
import type { Loss } from './losses.ts';
import { describeValue, longestCode, parseText, type Json } from './values.ts';

/** A tax rate of Stripe for a country or a region. */
export interface StripeTaxRate {
  id: string;
  name: string;
  country: string;
  region: string | null;
  percent: string;
  losses: Loss[];
  /** Why it cannot be imported. */
  obstacle?: string;
}

/**
 * Reads a tax rate of Stripe's API (https://docs.stripe.com/api/tax_rates/object). Throws an Error for a field it cannot
 * read.
 */
export function parseTaxRate(object: Json): StripeTaxRate {
  const country = parseText(object['country'], 'country', longestCode).trim().toUpperCase();
  const region = parseRegion(object, country);
  const percent = parsePercentage(object['percentage']);
  const obstacle = findRateObstacle(object, country, region, percent);
  return {
    id: String(object['id']),
    name: parseText(object['display_name'], 'display_name'),
    country,
    region: region ?? null,
    percent: percent ?? '',
    losses: object['inclusive'] === true ? [containedTax] : [],
    ...(obstacle !== undefined && { obstacle }),
  };
}

const containedTax: Loss = {
  kind: 'tax_rate',
  field: 'inclusive',
  why: 'is inclusive; here `Price.taxBehavior` says whether a price contains the tax',
};

/** Reads the percentage; undefined if there is none, or if it is not a decimal number. */
function parsePercentage(value: unknown): string | undefined {
  if (value === null || value === undefined) return undefined;
  if (typeof value !== 'number' && typeof value !== 'string')
    throw new Error(`percentage must be a number, not ${describeValue(value)}`);
  const decimal = parseDecimal(String(value));
  return decimal && formatDecimal(decimal);
}

/**
 * Returns the part of the country, null for the whole country, and undefined if the file does not say which: the
 * `jurisdiction` is a label, such as `DE`, `Germany`, `US-CA` or `Cook County`.
 */
function parseRegion(object: Json, country: string): string | null | undefined {
  const state = parseText(object['state'], 'state').trim();
  if (state !== '') return normalizeRegion(state, country);
  const label = parseText(object['jurisdiction'], 'jurisdiction').trim();
  const isCountry = ['', country, findCountryName(country)].includes(label.toUpperCase());
  if (isCountry) return null;
  const region = normalizeRegion(label, country);
  return regionForm.test(region) ? region : undefined;
}

/** The part of an ISO 3166-2 code after the country. */
const regionForm = /^[A-Z0-9]{1,3}$/;

const getCountryNames = makeOnce(() => new Intl.DisplayNames('en', { type: 'region' }));

const findCountryName = (country: string): string | undefined =>
  /^[A-Z]{2}$/.test(country) ? getCountryNames().of(country)?.toUpperCase() : undefined;

const localLevels = ['city', 'county', 'district', 'multiple'];

function findRateObstacle(
  object: Json,
  country: string,
  region: string | null | undefined,
  percent: string | undefined,
): string | undefined {
  if (object['active'] === false) return 'is archived';
  if (object['rate_type'] === 'flat_amount') return 'is a fixed amount';
  if (percent === undefined) return 'has no percentage';
  if (percent === '0') return 'is 0 %: create it with its category, such as Z (zero-rated) or E (exempt)';
  if (country === '') return 'has no country';
  if (region === undefined || localLevels.includes(object['jurisdiction_level']))
    return 'applies to a part of its country without a code: create it with its postal codes';
  return undefined;
}

/**
 * Imports tax rates as the tenant's rates for their places, from now on. A place has one rate for all products, so
 * several different ones for a place are skipped, and so is one that differs from the tenant's.
 */
export async function importTaxRates(
  unit: UnitOfWork,
  rates: StripeTaxRate[],
  report: ImportReport,
): Promise<void> {
  const percents = listPercents(rates);
  for (const rate of rates) {
    await skipIfRefused(report, rate.id, async () => {
      if (rate.obstacle !== undefined) skipRecord(rate.obstacle);
      const place = describePlace(rate);
      if (percents.get(place)!.size > 1)
        skipRecord(`is one of several rates for ${place}: create them with the tax codes of their products`);
      await importTaxRate(unit, rate, report);
      reportLosses(report, rate.id, rate.losses);
    });
  }
}

/** Returns the different percentages by place. */
function listPercents(rates: StripeTaxRate[]): Map<string, Set<string>> {
  const percents = new Map<string, Set<string>>();
  for (const rate of rates.filter(({ obstacle }) => obstacle === undefined)) {
    const place = describePlace(rate);
    percents.set(place, (percents.get(place) ?? new Set()).add(rate.percent));
  }
  return percents;
}

const describePlace = ({ country, region }: StripeTaxRate) =>
  region === null ? country : `${country}-${region}`;

async function importTaxRate(unit: UnitOfWork, rate: StripeTaxRate, report: ImportReport): Promise<void> {
  const { country, region, percent, name } = rate;
  const place = { country, region, postcode: null, taxCode: null };
  const there = await unit.many('taxRates', { where: { country } });
  const ofPlace = there.filter(
    (each) => each.region === region && each.postcode === null && each.taxCode === null,
  );
  if (ofPlace.some((each) => each.percent === percent)) {
    report.known += 1;
    return;
  }
  const other = ofPlace.find(({ archivedAt }) => archivedAt === null);
  if (other)
    skipRecord(`is ${percent} %, and ${describePlace(rate)} has a rate of ${other.percent} % already`);
  await createTaxRate(unit, { ...place, percent, name: name || null });
  report.taxRates += 1;
}
