import {
  boolean,
  count,
  instant,
  json,
  money,
  nullable,
  personal,
  shownIfSet,
  table,
  text,
} from './columns.ts';
import {
  byTenant,
  recurring,
  tenantKey,
  timestamps,
  type Address,
  type JsonObject,
  type Pricing,
  type ProductKind,
  type TaxId,
  type VatIdCheck,
} from './common.ts';
import type { LocationPiece } from './locationEvidence.ts';
import type { MailedFormat, SchemeId } from './parties.ts';

/** Customers and the catalog. */
export const catalog = {
  customers: table(
    'customers',
    {
      tenantAlias: text(),
      id: text(),
      associatedId: text(),
      firstName: text(),
      lastName: text(),
      email: text(),
      metadata: json<Record<string, string>>(),
      ...timestamps,
      companyName: personal(shownIfSet(text())),
      address: personal(shownIfSet(json<Address>())),
      taxIds: personal(shownIfSet(json<TaxId[]>())),
      /** Whether the customer pays no tax; null for false. */
      taxExempt: shownIfSet(boolean()),
      /** The language of documents, a BCP 47 tag; null for that of the seller. */
      locale: shownIfSet(text()),
      /** The tax rate of the customer, which takes precedence over that of the place. */
      taxRateId: shownIfSet(text()),
      /** What VIES answered about the VAT id; null if it was not asked. */
      vatIdCheck: personal(shownIfSet(json<VatIdCheck>())),
      /** When VIES is to be asked about the VAT id; null if it need not be asked. */
      vatIdCheckDueAt: nullable(instant()),
      /** The status of `vatIdCheck`, by which lists find it; `unavailable` also for an id that VIES is still to be asked about. */
      vatIdStatus: nullable(text<VatIdCheck['status']>()),
      /** The payment method of new subscriptions and one-off charges; null for none. */
      defaultPaymentMethodId: shownIfSet(text()),
      /** When the address refused mail for good, and why: no more mail is sent to it. */
      mailBlockedAt: shownIfSet(instant()),
      mailBlockedReason: personal(shownIfSet(text())),
      /** What e-invoices name the buyer by: the reference that they gave, and where they receive documents. */
      buyerReference: personal(shownIfSet(text())),
      electronicAddress: personal(shownIfSet(json<SchemeId>())),
      legalRegistration: personal(shownIfSet(json<SchemeId>())),
      /** The format of documents in mails; null for PDF. */
      documentFormat: shownIfSet(text<MailedFormat>()),
      /** What shows where the customer is besides the address: the latest of each kind. */
      locationEvidence: personal(shownIfSet(json<LocationPiece[]>())),
    },
    {
      ...byTenant,
      indexes: {
        customers_associated: { columns: ['tenantAlias', 'associatedId'], unique: true },
        customers_created: { columns: ['tenantAlias', 'createdAt', 'id'] },
        customers_email: { columns: ['tenantAlias', 'email', 'createdAt', 'id'] },
        customers_mail_blocked: {
          columns: ['tenantAlias', 'mailBlockedAt', 'id'],
          where: { mailBlockedAt: { isSet: true } },
        },
        customers_vat_id_check: {
          columns: ['tenantAlias', 'vatIdStatus', 'vatIdCheckDueAt', 'id'],
          where: { vatIdCheckDueAt: { isSet: true } },
        },
        customers_vat_id_status: {
          columns: ['tenantAlias', 'vatIdStatus', 'createdAt', 'id'],
          where: { vatIdStatus: { isSet: true } },
        },
      },
      foreign: tenantKey,
    },
  ),

  // The answers of VIES about VAT ids of customers: the evidence of bills in reverse charge.
  vatIdChecks: table(
    'vat_id_checks',
    {
      tenantAlias: text(),
      id: text(),
      customerId: text(),
      /** The id that was asked about. */
      vatId: text(),
      status: text<'valid' | 'invalid'>(),
      checkedAt: instant(),
      /** The consultation number, if VIES gave one. */
      consultation: nullable(text()),
      /** The VAT id of the seller for whom it was asked; null for none. */
      requester: nullable(text()),
      /** To whom VIES says that the id belongs, as far as the member state tells. */
      name: nullable(text()),
      address: nullable(text()),
    },
    {
      ...byTenant,
      indexes: { vat_id_checks_customer: { columns: ['tenantAlias', 'customerId', 'id'] } },
      foreign: tenantKey,
    },
  ),

  /** What the tenant's people write down about a customer, who never sees it. */
  customerNotes: table(
    'customer_notes',
    {
      tenantAlias: text(),
      id: text(),
      customerId: text(),
      text: text(),
      /** Who wrote it, as traces name the executor. */
      authorId: text(),
      /** The name of the operator who wrote it, as it was then; null for an API key. */
      authorName: nullable(text()),
      ...timestamps,
    },
    {
      ...byTenant,
      indexes: { customer_notes_customer: { columns: ['tenantAlias', 'customerId', 'createdAt', 'id'] } },
      foreign: tenantKey,
    },
  ),

  groups: table(
    'groups',
    {
      tenantAlias: text(),
      id: text(),
      name: text(),
      metadata: json<JsonObject>(),
      prorateUpgrades: boolean(),
      ...timestamps,
      /** The name in lower case, for searches. Null only until the migration has filled it. */
      nameLower: nullable(text()),
    },
    {
      ...byTenant,
      indexes: { groups_created: { columns: ['tenantAlias', 'createdAt', 'id'] } },
      foreign: tenantKey,
    },
  ),

  products: table(
    'products',
    {
      tenantAlias: text(),
      id: text(),
      groupId: nullable(text()),
      name: text(),
      description: text(),
      active: boolean(),
      metadata: json<JsonObject>(),
      expiresAt: nullable(instant()),
      ...timestamps,
      /** A deleted product is shown only within its group. */
      deletedAt: nullable(instant()),
      /** The name in lower case, for searches. Null only until the migration has filled it. */
      nameLower: nullable(text()),
      /** Selects the tax rates that apply to it alone; null for those of all products. */
      taxCode: shownIfSet(text()),
      /** What is sold, which decides where it is taxed; null for an electronic service. */
      kind: shownIfSet(text<ProductKind>()),
      /** What a pricing page lists; null for nothing. */
      features: shownIfSet(json<string[]>()),
      /** Whether a pricing page emphasises it; null for false. */
      highlighted: shownIfSet(boolean()),
      /** Its place among other products, the lowest first; null for after those with one. */
      sortOrder: shownIfSet(count()),
      /** The tenant's own name for it, which is accepted instead of its id; null for none. */
      lookupKey: shownIfSet(text()),
      /** Orders products by their place, then by their name (`buildCatalogPlace`). Null only until the migration has filled it. */
      catalogPlace: nullable(text()),
    },
    {
      ...byTenant,
      indexes: {
        products_created: { columns: ['tenantAlias', 'createdAt', 'id'], where: { deletedAt: null } },
        products_active: {
          columns: ['tenantAlias', 'active', 'createdAt', 'id'],
          where: { deletedAt: null },
        },
        products_listed_in_group: {
          columns: ['tenantAlias', 'groupId', 'createdAt', 'id'],
          where: { deletedAt: null },
        },
        products_place: { columns: ['tenantAlias', 'catalogPlace', 'id'], where: { deletedAt: null } },
        products_active_place: {
          columns: ['tenantAlias', 'active', 'catalogPlace', 'id'],
          where: { deletedAt: null },
        },
        products_place_in_group: {
          columns: ['tenantAlias', 'groupId', 'catalogPlace', 'id'],
          where: { deletedAt: null },
        },
        products_lookup_key: {
          columns: ['tenantAlias', 'lookupKey'],
          unique: true,
          where: { lookupKey: { isSet: true } },
        },
        products_group: { columns: ['tenantAlias', 'groupId', 'createdAt', 'id'] },
      },
      foreign: [...tenantKey, { columns: ['tenantAlias', 'groupId'], table: 'groups' }],
    },
  ),

  prices: table(
    'prices',
    {
      tenantAlias: text(),
      id: text(),
      productId: text(),
      amountMinor: money(),
      currency: text(),
      ...recurring,
      ...timestamps,
      /** How a quantity is charged; null for a flat price, whose amount is that of the cycle. */
      pricing: nullable(json<Pricing>()),
      minQuantity: nullable(count()),
      maxQuantity: nullable(count()),
      nickname: nullable(text()),
      /** The days of a new subscription before its first charge; null for none. */
      trialDays: nullable(count()),
      /** Charged once, with the first invoice of a new subscription; null for none. */
      setupFeeMinor: nullable(money()),
      /** Whether the amounts contain the tax; null for exclusive. */
      taxBehavior: shownIfSet(text<'exclusive' | 'inclusive'>()),
      /** When it was withdrawn from new orders and changes; null while it can be chosen. */
      archivedAt: shownIfSet(instant()),
      /** The meter of a price of usage, as in `pricing`; null for others. */
      meterId: shownIfSet(text()),
      /** The tenant's own name for it, which is accepted instead of its id; null for none. */
      lookupKey: shownIfSet(text()),
    },
    {
      ...byTenant,
      indexes: {
        prices_lookup_key: {
          columns: ['tenantAlias', 'lookupKey'],
          unique: true,
          where: { lookupKey: { isSet: true } },
        },
        // Few prices are of usage.
        prices_meter: { columns: ['tenantAlias', 'meterId', 'id'], where: { meterId: { isSet: true } } },
        prices_product: { columns: ['tenantAlias', 'productId', 'createdAt', 'id'] },
      },
      foreign: [...tenantKey, { columns: ['tenantAlias', 'productId'], table: 'products' }],
    },
  ),
};
