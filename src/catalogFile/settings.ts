/** Settings of a file: tax, webhook endpoints, texts of mails and the portal. */
import { archiveTaxRate, createTaxRate, parseTaxRate, updateTaxRate } from '../billing/tax/taxRates.ts';
import { deleteMailTemplate, parseMailTemplate, updateMailTemplate } from '../outgoing/mails/templates.ts';
import {
  addEndpoint,
  changeEndpoint,
  createSealedSecret,
  parseEndpoint,
} from '../outgoing/webhooks/endpoints.ts';
import { parseInput } from '../lib/validation.ts';
import { findPortalSettings, portalChanges } from '../tenants/portalSettings.ts';
import { updateTenant } from '../tenants/settings.ts';
import type { Row } from '../storage/model/rowTypes.ts';
import { resolveCoupon } from './coupons.ts';
import {
  addStep,
  checkAt,
  compareFields,
  differs,
  performAt,
  refuseReference,
  type Planning,
} from './planning.ts';
import { findProductId } from './products.ts';
import type { CatalogFile } from './schema.ts';

/** Plans the settings of tax and the tax rates of a file. Error: `validation_failed`. */
export function planTax(planning: Planning, tax: CatalogFile['tax']): void {
  if (!tax) return;
  const { tenant } = planning.state;
  const { rates, ...wanted } = tax;
  const present = { vatIdCheck: tenant.vatIdCheck, taxCurrency: tenant.taxCurrency };
  const given = Object.fromEntries(Object.keys(wanted).map((name) => [name, present[name as 'taxCurrency']]));
  const changes = compareFields(given, {
    ...wanted,
    ...(wanted.taxCurrency && { taxCurrency: wanted.taxCurrency.toLowerCase() }),
  });
  if (differs(changes))
    addStep(planning, {
      action: 'update',
      resource: 'tax_settings',
      key: 'tax',
      path: 'tax',
      id: null,
      changes,
      run: (unit) => performAt('tax', () => updateTenant(unit, wanted)),
    });
  if (rates) planTaxRates(planning, rates);
}

type RateEntry = NonNullable<NonNullable<CatalogFile['tax']>['rates']>[number];
type RateTerms = ReturnType<typeof parseTaxRate>;

const placeColumns = ['country', 'region', 'postcode', 'taxCode', 'category', 'percent'] as const;

function planTaxRates(planning: Planning, entries: RateEntry[]): void {
  const { state } = planning;
  const kept = new Set<string>();
  for (const [n, entry] of entries.entries()) {
    const path = `tax.rates.${n}`;
    const input = { ...entry, percent: String(entry.percent) };
    const wanted = checkAt(path, () => parseTaxRate(state, input));
    const found = state.taxRates.find((rate) => !kept.has(rate.id) && isSameRate(rate, wanted, entry));
    if (found) kept.add(found.id);
    planTaxRate(planning, { found, wanted, input, path });
  }
  for (const rate of state.taxRates)
    if (!kept.has(rate.id))
      addStep(planning, {
        action: 'retire',
        resource: 'tax_rate',
        key: nameRate(rate),
        path: null,
        id: rate.id,
        changes: { archived: [false, true] },
        run: (unit) => archiveTaxRate(unit, rate.id),
      });
}

const nameRate = ({ country, region, postcode, taxCode, percent }: RateTerms) =>
  [country, region, postcode, taxCode, `${percent} %`].filter((part) => part !== null).join(' ');

const isSameRate = (rate: Row<'taxRates'>, wanted: RateTerms, { effectiveFrom }: RateEntry): boolean =>
  placeColumns.every((column) => rate[column] === wanted[column]) &&
  (effectiveFrom === undefined || rate.effectiveFrom === wanted.effectiveFrom);

interface RateStep {
  found: Row<'taxRates'> | undefined;
  wanted: RateTerms;
  input: object;
  path: string;
}

function planTaxRate(planning: Planning, { found, wanted, input, path }: RateStep): void {
  const common = { resource: 'tax_rate' as const, key: nameRate(wanted), path };
  if (!found) {
    const { effectiveFrom, ...terms } = wanted;
    addStep(planning, {
      ...common,
      action: 'create',
      id: null,
      changes: compareFields({}, 'effectiveFrom' in input ? { ...terms, effectiveFrom } : terms),
      run: (unit) => performAt(path, () => createTaxRate(unit, input)),
    });
    return;
  }
  const { name } = wanted;
  const changes = compareFields({ name: found.name }, { name });
  if (differs(changes))
    addStep(planning, {
      ...common,
      action: 'update',
      id: found.id,
      changes,
      run: (unit) => updateTaxRate(unit, found.id, { name }),
    });
}

/** Plans the webhook endpoints of a file. Error: `validation_failed`. */
export function planWebhooks(planning: Planning, entries: CatalogFile['webhooks']): void {
  if (!entries) return;
  const { state, scope } = planning;
  for (const [n, entry] of entries.entries()) {
    const path = `webhooks.${n}`;
    const wanted = checkAt(path, () => parseEndpoint(scope, entry));
    const [found, ...others] = state.endpoints.filter(({ url }) => url === wanted.url);
    if (others.length > 0) refuseReference(`${path}.url`, 'is the address of several endpoints');
    const common = { resource: 'webhook_endpoint' as const, key: wanted.url, path };
    if (!found) {
      const secret = checkAt(path, () => createSealedSecret(scope));
      addStep(planning, {
        ...common,
        action: 'create',
        id: null,
        changes: compareFields({}, wanted),
        run: (unit) => performAt(path, () => addEndpoint(unit, wanted, secret)),
      });
      continue;
    }
    const { url, description, events, query, active } = found;
    const changes = compareFields({ url, description, events, query, active }, wanted);
    if (differs(changes)) {
      const changed = Object.fromEntries(Object.keys(changes).map((name) => [name, wanted[name as 'url']]));
      addStep(planning, {
        ...common,
        action: 'update',
        id: found.id,
        changes,
        run: (unit) => performAt(path, () => changeEndpoint(unit, found.id, changed)),
      });
    }
  }
  const kept = new Set(entries.map(({ url }) => url));
  for (const { id, url, active } of state.endpoints)
    if (!kept.has(url) && active)
      addStep(planning, {
        action: 'retire',
        resource: 'webhook_endpoint',
        key: url,
        path: null,
        id,
        changes: { active: [true, false] },
        run: (unit) => changeEndpoint(unit, id, { active: false }),
      });
}

/** Plans the texts of mails of a file. Error: `validation_failed`. */
export function planMails(planning: Planning, entries: CatalogFile['mails']): void {
  if (!entries) return;
  const { state } = planning;
  const kept = new Set<string>();
  for (const [n, entry] of entries.entries()) {
    const path = `mails.${n}`;
    const wanted = checkAt(path, () => parseMailTemplate(entry));
    const found = state.mailTemplates.find(
      ({ kind, language }) => kind === wanted.kind && language === wanted.language,
    );
    if (found) kept.add(found.id);
    const changes = compareFields(found ? { subject: found.subject, body: found.body } : {}, {
      subject: wanted.subject,
      body: wanted.body,
    });
    if (differs(changes))
      addStep(planning, {
        action: found ? 'update' : 'create',
        resource: 'mail_template',
        key: `${wanted.kind} ${wanted.language}`,
        path,
        id: found?.id ?? null,
        changes,
        run: (unit) => performAt(path, () => updateMailTemplate(unit, wanted)),
      });
  }
  for (const { id, kind, language, subject, body } of state.mailTemplates)
    if (!kept.has(id))
      addStep(planning, {
        action: 'retire',
        resource: 'mail_template',
        key: `${kind} ${language}`,
        path: null,
        id,
        changes: compareFields({ subject, body }, {}),
        run: (unit) => deleteMailTemplate(unit, id),
      });
}

/** Writes the settings of the portal as fields of a file. */
export function writePortal(
  tenant: Row<'tenants'>,
  productKeys: ReadonlyMap<string, string>,
  couponKeys: ReadonlyMap<string, string>,
) {
  const { productIds, retentionCouponId, ...settings } = findPortalSettings(tenant);
  return {
    ...settings,
    products: productIds?.map((id) => productKeys.get(id) ?? id) ?? null,
    retentionCoupon:
      retentionCouponId === null ? null : (couponKeys.get(retentionCouponId) ?? retentionCouponId),
  };
}

const keysById = (rows: { id: string; lookupKey: string | null }[]) =>
  new Map(rows.map(({ id, lookupKey }) => [id, lookupKey ?? id]));

/** Plans the settings of the portal. Error: `validation_failed`. */
export function planPortal(planning: Planning, entry: CatalogFile['portal']): void {
  if (!entry) return;
  const { state } = planning;
  const { products, retentionCoupon, ...settings } = entry;
  for (const [n, each] of (products ?? []).entries()) findProductId(planning, each, `portal.products.${n}`);
  if (
    retentionCoupon &&
    !planning.names.coupons.has(retentionCoupon) &&
    !state.coupons.some(({ id }) => id === retentionCoupon)
  )
    refuseReference('portal.retentionCoupon', 'is not the lookup key of a coupon of the file or the tenant');
  const {
    productIds: _,
    retentionCouponId: __,
    ...parsed
  } = checkAt('portal', () => parseInput(portalChanges, settings));
  const wanted: Record<string, unknown> = { ...parsed };
  const [productKeys, couponKeys] = [keysById(state.products), keysById(state.coupons)];
  if (products !== undefined)
    wanted['products'] = products?.map((each) => productKeys.get(each) ?? each) ?? null;
  if (retentionCoupon !== undefined)
    wanted['retentionCoupon'] = retentionCoupon && (couponKeys.get(retentionCoupon) ?? retentionCoupon);
  const present: Record<string, unknown> = writePortal(state.tenant, productKeys, couponKeys);
  const replaced = planning.steps.some(
    ({ resource, action, key }) =>
      resource === 'coupon' && action === 'replace' && key === present['retentionCoupon'],
  );
  const changes = compareFields(
    Object.fromEntries(Object.keys(wanted).map((name) => [name, present[name]])),
    wanted,
  );
  if (!differs(changes) && !replaced) return;
  addStep(planning, {
    action: 'update',
    resource: 'portal',
    key: 'portal',
    path: 'portal',
    id: null,
    changes,
    run: (unit, names) =>
      performAt('portal', () =>
        updateTenant(unit, {
          portal: {
            ...parsed,
            ...(products !== undefined && {
              productIds: products?.map((each) => names.products.get(each) ?? each) ?? null,
            }),
            ...(retentionCoupon !== undefined && {
              retentionCouponId: retentionCoupon === null ? null : resolveCoupon(names, retentionCoupon),
            }),
          },
        }),
      ),
  });
}
