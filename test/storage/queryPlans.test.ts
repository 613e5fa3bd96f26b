/** Every filter of every list is served by an index, in the order of the list: both databases are asked for their plans. */
import Database from 'better-sqlite3';
import { drizzle as drizzleSqlite } from 'drizzle-orm/better-sqlite3';
import { drizzle as drizzlePostgres } from 'drizzle-orm/node-postgres';
import {
  getNamedType,
  isEnumType,
  isObjectType,
  parse,
  type FieldNode,
  type OperationDefinitionNode,
} from 'graphql';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Queries } from '../../src/storage/query/queries.ts';
import { readSelection } from '../../src/storage/query/select.ts';
import type { TableName } from '../../src/storage/model/rowTypes.ts';
import { measurePostgresJson, postgres, postgresHints } from '../../src/storage/postgres/tables.ts';
import { sqlite, sqliteExpressions } from '../../src/storage/sqlite/tables.ts';
import { routes } from '../../src/rest/routes.ts';
import { schema } from '../../src/app/schema.ts';
import { declineCodes } from '../../src/lib/declineCodes.ts';
import { operationPermissions } from '../support/declarations.ts';
import { isForOperators } from '../../src/tenancy/permissions.ts';
import { giveNotices } from '../../src/billing/renewals/notices.ts';
import { openScheduledTenant } from '../../src/tenancy/openTenant.ts';
import { findTenant } from '../../src/tenancy/tenants.ts';
import { startApp, type Client, type TestApp } from '../support/app.ts';
import { engine } from '../support/engines.ts';
import { multiply, minutesAfter } from '../support/bulk.ts';
import { sampled, sampledInCore } from '../support/sample.ts';
import { createShop } from '../support/shop.ts';

/** What a filter is asked for, and the index that has its rows in order. */
interface Filter {
  args: string;
  index: string;
  /** Whether the rest is looked for beside the event loop, a slice of that index at a time. */
  isScan?: true;
}

const day = '"2026-01-31"';
const statuses = (field: string, values: string[], index: string) =>
  Object.fromEntries(
    values.map((value) => [`${field}(status: ${value})`, { args: `status: ${value}`, index }]),
  );

/** A row for every filter that the schema has; for an enum one for each of its values. */
const filters: Record<string, Filter> = {
  'customers()': { args: '', index: 'customers_created' },
  'customers(email)': { args: 'email: "a"', index: 'customers_email' },
  'customers(associatedId)': { args: 'associatedId: "a"', index: 'customers_associated' },
  'blockedCustomers()': { args: '', index: 'customers_mail_blocked' },
  'groups()': { args: '', index: 'groups_created' },
  'groups(name)': { args: 'name: "a"', index: 'groups_created', isScan: true },
  'coupons()': { args: '', index: 'coupons_created' },
  'coupons(lookupKey)': { args: 'lookupKey: "a"', index: 'coupons_lookup_key' },
  'coupons(active)': { args: 'active: true', index: 'coupons_active' },
  'taxRates()': { args: '', index: 'tax_rates_created' },
  'taxRates(country)': { args: 'country: "DE"', index: 'tax_rates_country' },
  'paymentsToRecover()': { args: '', index: 'subscriptions_past_due' },
  'mrrMovements()': { args: '', index: 'mrr_movements_at' },
  'mrrMovements(customerId)': { args: 'customerId: "cus_1"', index: 'mrr_movements_customer' },
  'mrrMovements(currency)': { args: 'currency: "afn"', index: 'mrr_movements_at' },
  'mrrMovements(from)': { args: `from: ${day}`, index: 'mrr_movements_at' },
  'mrrMovements(until)': { args: `until: ${day}`, index: 'mrr_movements_at' },
  ...Object.fromEntries(
    ['new', 'expansion', 'contraction', 'churn', 'reactivation'].map((kind) => [
      `mrrMovements(kind: ${kind})`,
      { args: `kind: ${kind}`, index: 'mrr_movements_kind' },
    ]),
  ),
  'promotionCodes()': { args: '', index: 'promotion_codes_created' },
  'promotionCodes(couponId)': { args: 'couponId: "a"', index: 'promotion_codes_coupon' },
  'promotionCodes(code)': { args: 'code: "a"', index: 'promotion_codes_active_code' },
  'products()': { args: '', index: 'products_created' },
  'products(groupId)': { args: 'groupId: "a"', index: 'products_listed_in_group' },
  'products(active)': { args: 'active: true', index: 'products_active' },
  'products(lookupKey)': { args: 'lookupKey: "a"', index: 'products_lookup_key' },
  'products(name)': { args: 'name: "a"', index: 'products_created', isScan: true },
  'products(orderBy: created_at)': { args: 'orderBy: created_at', index: 'products_created' },
  'products(orderBy: sort_order)': { args: 'orderBy: sort_order', index: 'products_place' },
  'invoices()': { args: '', index: 'invoices_created' },
  'invoices(customerId)': { args: 'customerId: "a"', index: 'invoices_customer' },
  'invoices(subscriptionId)': { args: 'subscriptionId: "a"', index: 'invoices_subscription' },
  ...statuses('invoices', ['draft', 'open', 'paid', 'void', 'uncollectible'], 'invoices_status'),
  ...enumRows('customers', 'vatIdStatus', 'VatIdCheckStatus', 'customers_vat_id_status'),
  ...enumRows('invoices', 'eInvoiceStatus', 'EInvoiceStatus', 'invoices_e_invoice'),
  ...enumRows('invoices', 'evidenceGap', 'LocationEvidenceGap', 'invoices_evidence_gap'),
  ...enumRows('creditNotes', 'eInvoiceStatus', 'EInvoiceStatus', 'credit_notes_e_invoice'),
  'invoices(collection: automatic)': {
    args: 'collection: automatic',
    index: 'invoices_created',
    isScan: true,
  },
  'invoices(collection: send_invoice)': { args: 'collection: send_invoice', index: 'invoices_sent' },
  'invoices(overdue)': { args: 'overdue: true', index: '(invoices_status|invoices_sent)', isScan: true },
  ...amountRows('invoices', 'invoices_created'),
  ...amountRows('payments', 'payments_created'),
  ...amountRows('disputes', 'payments_disputes'),
  ...amountRows('creditNotes', 'credit_notes_created'),
  'intents(currency)': { args: 'currency: "usd"', index: 'intents_created', isScan: true },
  ...createdRows('invoices', 'invoices_created'),
  ...createdRows('creditNotes', 'credit_notes_created'),
  ...Object.fromEntries(
    ['kind: refund', 'kind: credit', 'status: issued', 'status: void'].map((args) => [
      `creditNotes(${args})`,
      { args, index: 'credit_notes_created', isScan: true as const },
    ]),
  ),
  'creditNotes()': { args: '', index: 'credit_notes_created' },
  'creditNotes(customerId)': { args: 'customerId: "a"', index: 'credit_notes_customer' },
  'creditNotes(invoiceId)': { args: 'invoiceId: "a"', index: 'credit_notes_invoice' },
  'subscriptions()': { args: '', index: 'subscriptions_created' },
  'subscriptions(customerId)': { args: 'customerId: "a"', index: 'subscriptions_customer' },
  'subscriptions(productId)': { args: 'productId: "a"', index: 'subscriptions_product' },
  ...Object.fromEntries(
    [
      ['scheduled', 'subscriptions_unpaid'],
      ['incomplete', 'subscriptions_unpaid'],
      ['trialing', 'subscriptions_trialing'],
      ['active', 'subscriptions_running'],
    ].map(([status, index]) => [
      `subscriptions(status: ${status})`,
      { args: `status: ${status}`, index: index!, isScan: true as const },
    ]),
  ),
  ...statuses('subscriptions', ['past_due'], 'subscriptions_past_due'),
  ...statuses('subscriptions', ['paused'], 'subscriptions_paused'),
  ...statuses('subscriptions', ['cancelled'], 'subscriptions_cancelled'),
  'subscriptionHistory(customerId)': { args: 'customerId: CUSTOMER', index: 'invoice_lines_history' },
  'subscriptionHistory(startDate)': {
    args: `customerId: CUSTOMER, startDate: ${day}`,
    index: 'invoice_lines_history',
  },
  'subscriptionHistory(endDate)': {
    args: `customerId: CUSTOMER, endDate: ${day}`,
    index: 'invoice_lines_history',
  },
  'customerSessions(customerId)': { args: 'customerId: CUSTOMER', index: 'customer_sessions_customer' },
  'portalSessions(customerId)': { args: 'customerId: CUSTOMER', index: 'portal_sessions_customer' },
  'mailDeliveries()': { args: '', index: 'mail_deliveries_created' },
  'mailDeliveries(customerId)': { args: 'customerId: "a"', index: 'mail_deliveries_customer' },
  ...enumRows('mailDeliveries', 'kind', 'MailKind', 'mail_deliveries_kind'),
  ...enumRows('mailDeliveries', 'status', 'MailStatus', 'mail_deliveries_status'),
  'mailTemplates()': { args: '', index: 'mail_templates_created' },
  'traces()': { args: '', index: 'traces_created' },
  'traces(executorId)': { args: 'executorId: "a"', index: 'traces_executor' },
  ...enumRows('traces', 'activityType', 'ActivityType', 'traces_activity'),
  'traces(startDate)': { args: `startDate: ${day}`, index: 'traces_created' },
  'traces(endDate)': { args: `endDate: ${day}`, index: 'traces_created' },
  'deliveries()': { args: '', index: 'webhook_deliveries_created' },
  'deliveries(endpointId)': { args: 'endpointId: "a"', index: 'webhook_deliveries_endpoint' },
  'deliveries(eventId)': { args: 'eventId: "a"', index: 'webhook_deliveries_event' },
  ...statuses('deliveries', ['pending', 'delivered', 'failed', 'cancelled'], 'webhook_deliveries_status'),
  'webhookEndpoints()': { args: '', index: 'webhook_endpoints_created' },
  'intents()': { args: '', index: 'intents_created' },
  'intents(customerId)': { args: 'customerId: "a"', index: 'intents_customer' },
  ...statuses('intents', ['processing', 'succeeded', 'cancelled', 'expired'], 'intents_status'),
  ...Object.fromEntries(
    ['requires_payment_method', 'requires_action'].map((status) => [
      `intents(status: ${status})`,
      { args: `status: ${status}`, index: 'intents_status', isScan: true as const },
    ]),
  ),
  ...createdRows('intents', 'intents_created'),
  'payments()': { args: '', index: 'payments_created' },
  'payments(customerId)': { args: 'customerId: "a"', index: 'payments_customer' },
  'payments(kind: charge)': { args: 'kind: charge', index: 'payments_created', isScan: true },
  'payments(kind: refund)': { args: 'kind: refund', index: 'payments_refunds' },
  'payments(kind: dispute)': { args: 'kind: dispute', index: 'payments_disputes' },
  'payments(status: succeeded)': { args: 'status: succeeded', index: 'payments_created', isScan: true },
  ...statuses('payments', ['failed'], 'payments_failed'),
  ...statuses('payments', ['pending'], 'payments_pending'),
  ...createdRows('payments', 'payments_created'),
  ...Object.fromEntries(
    Object.keys(declineCodes).map((code) => [
      `payments(declineCode: ${code})`,
      { args: `declineCode: ${code}`, index: 'payments_decline_code' },
    ]),
  ),
  'disputes()': { args: '', index: 'payments_disputes' },
  'disputes(customerId)': { args: 'customerId: "a"', index: 'payments_customer' },
  ...Object.fromEntries(
    ['inquiry', 'inquiry_closed', 'needs_response', 'under_review', 'won', 'lost'].map((status) => [
      `disputes(status: ${status})`,
      { args: `status: ${status}`, index: 'payments_disputes', isScan: true as const },
    ]),
  ),
  ...createdRows('disputes', 'payments_disputes'),
  'discounts()': { args: '', index: 'discounts_created' },
  'discounts(customerId)': { args: 'customerId: "a"', index: 'discounts_customer' },
  'discounts(couponId)': { args: 'couponId: "coup_1"', index: 'discounts_coupon' },
  'discounts(active)': { args: 'active: true', index: 'discounts_created', isScan: true },
  ...createdRows('discounts', 'discounts_created'),
  'invoiceItems()': { args: '', index: 'invoice_items_created' },
  'invoiceItems(customerId)': { args: 'customerId: "a"', index: 'invoice_items_customer' },
  'invoiceItems(status: waiting)': { args: 'status: waiting', index: 'invoice_items_unbilled' },
  'invoiceItems(status: billed)': { args: 'status: billed', index: 'invoice_items_created', isScan: true },
  'invoiceItems(status: deleted)': { args: 'status: deleted', index: 'invoice_items_created', isScan: true },
  ...createdRows('invoiceItems', 'invoice_items_created'),
  'credits()': { args: '', index: 'balance_entries_credits' },
  'credits(customerId)': { args: 'customerId: "a"', index: 'balance_entries_customer_credits' },
  'credits(usable)': { args: 'usable: true', index: 'balance_entries_credits', isScan: true },
  ...createdRows('credits', 'balance_entries_credits'),
  'creditGrants()': { args: '', index: 'balance_entries_grants' },
  'creditGrants(customerId)': { args: 'customerId: "a"', index: 'balance_entries_customer_grants' },
  'creditGrants(category: paid)': { args: 'category: paid', index: 'balance_entries_grants', isScan: true },
  'creditGrants(category: promotional)': {
    args: 'category: promotional',
    index: 'balance_entries_grants',
    isScan: true,
  },
  'creditGrants(usable)': { args: 'usable: true', index: 'balance_entries_grants', isScan: true },
  'creditGrants(creditTypeId)': {
    args: 'creditTypeId: "cty_1"',
    index: 'balance_entries_grants',
    isScan: true,
  },
  'creditTypes()': { args: '', index: 'credit_types_created' },
  'autoTopUps()': { args: '', index: 'auto_top_ups_created' },
  ...createdRows('creditGrants', 'balance_entries_grants'),
  'actionRequests()': { args: '', index: 'action_requests_requested' },
  ...statuses(
    'actionRequests',
    ['pending', 'approved', 'declined', 'withdrawn', 'expired', 'failed'],
    'action_requests_status',
  ),
  'actionRequests(operation)': { args: 'operation: "grantCredit"', index: 'action_requests_operation' },
  'actionRequests(requestedBy)': { args: 'requestedBy: "a"', index: 'action_requests_requester' },
  'actionRequests(customerId)': { args: 'customerId: "cus_1"', index: 'action_requests_customer' },
  'customerNotes(customerId)': { args: 'customerId: "cus_1"', index: 'customer_notes_customer' },
  'features()': { args: '', index: 'features_created' },
  'features(key)': { args: 'key: "a"', index: 'features_key' },
  ...Object.fromEntries(
    ['boolean', 'config', 'limit'].map((kind) => [
      `features(kind: ${kind})`,
      { args: `kind: ${kind}`, index: 'features_kind' },
    ]),
  ),
  'entitlementOverrides(customerId)': { args: 'customerId: "cus_1"', index: 'entitlement_overrides_listed' },
  'reservations()': { args: '', index: 'reservations_created' },
  'reservations(customerId)': { args: 'customerId: "cus_1"', index: 'reservations_customer' },
  'meters()': { args: '', index: 'meters_created' },
  'meters(event)': { args: 'event: "a"', index: 'meters_event' },
  'usagePriceOverrides()': { args: '', index: 'usage_price_overrides_created' },
  'usagePriceOverrides(customerId)': { args: 'customerId: "cus_1"', index: 'usage_price_overrides_customer' },
  'usagePriceOverrides(subscriptionId)': {
    args: 'subscriptionId: "sub_1"',
    index: 'usage_price_overrides_subscription',
  },
  'usageEvents()': { args: '', index: '(usage_events_tenant_alias_id_pk|sqlite_autoindex_usage_events_1)' },
  'usageEvents(customerId)': { args: 'customerId: "cus_1"', index: 'usage_events_customer' },
  'Customer.timeline()': { args: '', index: 'traces_customer' },
  ...Object.fromEntries(
    Object.entries(enumRows('Customer.timeline', 'activityType', 'ActivityType', 'traces_customer')).map(
      ([key, row]) => [key, { ...row, isScan: true as const }],
    ),
  ),
  'Group.productsConnection()': { args: '', index: 'products_group' },
  'Coupon.discounts()': { args: '', index: 'discounts_coupon' },
  'Customer.creditGrants()': { args: '', index: 'balance_entries_customer_grants' },
  'CreditGrant.uses()': { args: '', index: 'balance_entries_credit' },
  'Customer.vatIdEvidence()': { args: '', index: 'vat_id_checks_customer' },
  'Customer.invoices()': { args: '', index: 'invoices_customer' },
  ...enumRows('Customer.invoices', 'status', 'InvoiceStatus', 'invoices_customer'),
  'Customer.paymentMethods()': { args: '', index: 'payment_methods_customer' },
  'Customer.subscriptions()': { args: '', index: 'subscriptions_customer' },
  ...enumRows('Customer.subscriptions', 'status', 'SubscriptionStatus', 'subscriptions_customer'),
  // Few subscriptions are in a trial, so PostgreSQL may search these instead of the customer's.
  'Customer.subscriptions(status: trialing)': {
    args: 'status: trialing',
    index: '(subscriptions_customer|subscriptions_trialing)',
  },
};

/** The two ends of a time of creation. */
function amountRows(field: string, index: string): Record<string, Filter> {
  const amount = '{ amount: 5, currency: "usd" }';
  const args = { currency: '"usd"', minAmount: amount, maxAmount: amount };
  return Object.fromEntries(
    Object.entries(args).map(([name, value]) => [
      `${field}(${name})`,
      { args: `${name}: ${value}`, index, isScan: true },
    ]),
  );
}

function createdRows(field: string, index: string): Record<string, Filter> {
  return Object.fromEntries(
    ['createdAfter', 'createdBefore'].map((arg) => [`${field}(${arg})`, { args: `${arg}: ${day}`, index }]),
  );
}

/** Filters together: an index serves one of them, and the others choose among few rows or in a scan. */
const combinations: Record<string, Filter> = {
  'usagePriceOverrides(customerId, subscriptionId)': {
    args: 'customerId: "cus_1", subscriptionId: "sub_1"',
    index: 'usage_price_overrides_(subscription|customer)',
  },
  'actionRequests(customerId, operation, requestedBy, status)': {
    args: 'customerId: "a", operation: "grantCredit", requestedBy: "a", status: pending',
    index: 'action_requests_(customer|requester)',
  },
  'customers(associatedId, email)': {
    args: 'email: "a", associatedId: "a"',
    index: '(customers_associated|customers_email)',
  },
  'subscriptions(productId, status)': {
    args: 'productId: "a", status: active',
    index: 'subscriptions_product',
    isScan: true,
  },
  'products(active, name)': { args: 'active: true, name: "a"', index: 'products_active', isScan: true },
  'products(active, orderBy)': { args: 'active: true, orderBy: sort_order', index: 'products_active_place' },
  'products(groupId, orderBy)': {
    args: 'groupId: "a", orderBy: sort_order',
    index: 'products_place_in_group',
  },
  'products(active, groupId)': {
    args: 'active: true, groupId: "a"',
    index: 'products_listed_in_group',
    isScan: true,
  },
  'products(active, groupId, lookupKey, name)': {
    args: 'active: false, groupId: "a", name: "a", lookupKey: "a"',
    index: '(products_lookup_key|products_listed_in_group)',
  },
  'products(active, groupId, name)': {
    args: 'active: false, groupId: "a", name: "a"',
    index: 'products_listed_in_group',
    isScan: true,
  },
  'invoices(customerId, status)': { args: 'customerId: "a", status: paid', index: 'invoices_customer' },
  'invoices(customerId, status, subscriptionId)': {
    args: 'customerId: "a", status: paid, subscriptionId: "a"',
    index: '(invoices_subscription|invoices_customer)',
  },
  'subscriptions(customerId, status)': {
    args: 'customerId: "a", status: active',
    index: 'subscriptions_customer',
  },
  'intents(createdAfter, createdBefore, status)': {
    args: `status: succeeded, createdAfter: ${day}, createdBefore: ${day}`,
    index: 'intents_status',
  },
  'payments(createdAfter, customerId, kind, status)': {
    args: `customerId: "a", kind: charge, status: failed, createdAfter: ${day}`,
    index: 'payments_customer',
  },
  'payments(customerId, declineCode)': {
    args: 'customerId: "a", declineCode: expired_card',
    index: 'payments_customer',
  },
  'payments(kind, status)': { args: 'kind: refund, status: failed', index: 'payments_failed', isScan: true },
  'discounts(active, customerId)': { args: 'customerId: "a", active: true', index: 'discounts_customer' },
  'creditGrants(category, customerId, usable)': {
    args: 'customerId: "a", category: paid, usable: true',
    index: 'balance_entries_customer_grants',
  },
  'credits(customerId, usable)': {
    args: 'customerId: "a", usable: true',
    index: 'balance_entries_customer_credits',
  },
  'traces(activityType, executorId)': {
    args: 'activityType: GroupEvent, executorId: "a"',
    index: 'traces_executor',
    isScan: true,
  },
  'traces(endDate, executorId, startDate)': {
    args: `executorId: "a", startDate: ${day}, endDate: ${day}`,
    index: 'traces_executor',
  },
  'traces(activityType, endDate, startDate)': {
    args: `activityType: GroupEvent, startDate: ${day}, endDate: ${day}`,
    index: 'traces_activity',
  },
  'traces(endDate, startDate)': {
    args: `startDate: ${day}, endDate: ${day}`,
    index: 'traces_created',
  },
  'deliveries(endpointId, status)': {
    args: 'endpointId: "a", status: failed',
    index: 'webhook_deliveries_endpoint',
    isScan: true,
  },
  'deliveries(endpointId, eventId, status)': {
    args: 'endpointId: "a", status: failed, eventId: "a"',
    index: 'webhook_deliveries_event',
  },
  'subscriptionHistory(customerId, endDate, startDate)': {
    args: `customerId: CUSTOMER, startDate: ${day}, endDate: ${day}`,
    index: 'invoice_lines_history',
  },
};

function enumRows(field: string, arg: string, enumName: string, index: string): Record<string, Filter> {
  const type = schema.getType(enumName);
  const values = isEnumType(type) ? type.getValues().map(({ name }) => name) : [];
  return Object.fromEntries(
    values.map((value) => [`${field}(${arg}: ${value})`, { args: `${arg}: ${value}`, index }]),
  );
}

// `search` finds ids by the search index, and the rows by these.
const ofEveryList = new Set(['search', 'first', 'after', 'last', 'before', 'order', 'tenantAlias']);

/** Every filter of every list of the schema, as the rows of the table are named. */
function filtersOfSchema(): string[] {
  return Object.values(schema.getTypeMap()).flatMap((type) => {
    // The lists of a snapshot are those of the type that it shows.
    if (!isObjectType(type) || type.name.endsWith('Snapshot')) return [];
    return Object.values(type.getFields()).flatMap((field) => {
      if (!getNamedType(field.type).name.endsWith('Connection')) return [];
      const list = type.name === 'Query' ? field.name : `${type.name}.${field.name}`;
      // It has three lists of a period, which a test of its own explains.
      if (list === 'taxDocuments') return [];
      // An API key cannot list operators and keys.
      if (isForOperators(operationPermissions[list])) return [];
      const named = field.args.filter(({ name }) => !ofEveryList.has(name));
      const mustHave = named.some(({ type: of }) => of.toString().endsWith('!'));
      const alone = mustHave ? [] : [`${list}()`];
      const each = named.flatMap(({ name, type: of }) => {
        const inner = getNamedType(of);
        if (!isEnumType(inner)) return [`${list}(${name})`];
        return inner.getValues().map((value) => `${list}(${name}: ${value.name})`);
      });
      return [...alone, ...each];
    });
  });
}

/** The lists that REST offers, with the filters that a request may send together. */
function listsOfRest(): string[] {
  return routes.flatMap(({ document }) => {
    const { selectionSet } = parse(document).definitions[0] as OperationDefinitionNode;
    const { name, arguments: args = [] } = selectionSet.selections[0] as FieldNode;
    const field = schema.getQueryType()!.getFields()[name.value];
    if (!field || !getNamedType(field.type).name.endsWith('Connection')) return [];
    const given = args.map((arg) => arg.name.value).filter((arg) => !ofEveryList.has(arg));
    return [`${name.value}(${given.toSorted().join(', ')})`];
  });
}

let app: TestApp;
let client: Client;
let customer: any;
let group: any;
let coupon: any;
let grant: any;
let explain: (query: string, parameters: number) => Promise<string[]>;
let builder: any;
let stop: () => Promise<unknown>;

beforeAll(async () => {
  app = await startApp({ rateLimitPerSecond: '1000000' });
  client = await app.tenant({ alias: 'acme' });
  const shop = createShop(client, 'acme');
  customer = await shop.customer();
  await shop.subscribe(customer, (await shop.product()).price);
  await fill();
  if (engine === 'sqlite') {
    const connection = new Database(app.path);
    builder = drizzleSqlite(connection);
    explain = async (query, parameters) => {
      const plan = connection.prepare<unknown[], { detail: string }>(`EXPLAIN QUERY PLAN ${query}`);
      return plan.all(...Array(parameters).fill(null)).map(({ detail }) => detail);
    };
    stop = async () => connection.close();
    return;
  }
  const connection = new pg.Client({ connectionString: app.database });
  await connection.connect();
  await connection.query('ANALYZE');
  // The tables are small: without this it would rather sort a few of their rows. What has no index still must.
  await connection.query('SET enable_seqscan = off; SET enable_bitmapscan = off');
  builder = drizzlePostgres({ client: connection });
  explain = async (query) => {
    const { rows } = await connection.query<{ 'QUERY PLAN': string }>(`EXPLAIN (GENERIC_PLAN) ${query}`);
    return rows.map((row) => row['QUERY PLAN']);
  };
  stop = () => connection.end();
});
afterAll(async () => {
  await stop();
  await app.close();
});

/** Credits the invoice of the customer. */
async function credit() {
  const { invoices } = await client.graphql('{ invoices { nodes { id } } }');
  await client.graphql(
    'mutation ($id: ID!) { createCreditNote(input: { invoiceId: $id, amount: { amount: 1, currency: "afn" }, kind: credit }) { id } }',
    { id: invoices.nodes[0].id },
  );
}

const at = minutesAfter('2026-01-31T00:00:00.000Z');
const rowsPerTable = 3000;

/** Rows enough that an index which has them in order is worth more than one that has them all. */
async function fill() {
  const add = (name: TableName, others: Record<string, string>) =>
    multiply(app, 'acme', name, rowsPerTable, { createdAt: at, ...others });
  const endpoint = '{ createWebhookEndpoint(input: { url: "https://example.com/" }) { endpoint { id } } }';
  await client.graphql(`mutation ${endpoint}`);
  const sale = 'mutation { createCoupon(input: { name: "Sale", percentOff: "5", duration: once }) { id } }';
  coupon = (await client.graphql(sale)).createCoupon;
  group = (await client.graphql('mutation { createGroup(input: { name: "Plans" }) { id } }')).createGroup;
  const id = (prefix: string) => ({ id: `'${prefix}_' || i` });
  await add('customers', {
    ...id('cus'),
    associatedId: "'bulk-' || i",
    email: "'e' || (i % 1000)",
    vatIdStatus: "case i % 50 when 0 then 'valid' when 1 then 'invalid' when 2 then 'unavailable' end",
  });
  await add('groups', id('grp'));
  await add('products', {
    ...id('prod'),
    active: 'i % 3 = 0',
    groupId: "case when i % 2 = 0 then null else 'grp_' || (i % 300 + 1) end",
    catalogPlace: "'9999999' || i",
  });
  const { createCoupon: made } = await client.graphql(
    'mutation { createCoupon(input: { name: "Sale", percentOff: 5, duration: once }) { id } }',
  );
  await client.graphql(
    'mutation ($id: ID!) { createPromotionCode(input: { couponId: $id, code: "a" }) { id } }',
    { id: made.id },
  );
  await client.graphql('mutation { createTaxRate(input: { country: "DE", percent: "7" }) { id } }');
  await add('taxRates', { ...id('txr'), country: "case when i % 50 = 0 then 'DE' else 'FR' end" });
  await client.graphql(`mutation {
    createMeter(input: { name: "Calls", event: "b", aggregation: count }) { id }
    recordUsage(input: { events: [{ id: "1", event: "b", customerId: "${customer.id}" }] }) { accepted }
  }`);
  await client.graphql(`mutation {
    createCustomerNote(input: { customerId: "${customer.id}", text: "Kind" }) { id }
  }`);
  const meterId = (await client.graphql('{ meters(first: 1) { nodes { id } } }')).meters.nodes[0].id;
  const { createProduct: metered } = await client.graphql(
    `mutation ($id: ID!) { createProduct(input: {
      name: "Calls", description: "", prices: [{ details: { amount: 1, currency: "afn" }, meterId: $id }]
    }) { prices { id } } }`,
    { id: meterId },
  );
  await client.graphql(
    'mutation ($id: ID!, $price: ID!) { overrideUsagePrice(input: { customerId: $id, priceId: $price, unitAmount: 2 }) { id } }',
    { id: customer.id, price: metered.prices[0].id },
  );
  await add('usagePriceOverrides', {
    ...id('upo'),
    customerId: "'cus_' || (i % 300 + 1)",
    subscriptionId: "'sub_' || (i % 300 + 1)",
  });
  await client.graphql(
    `mutation ($meter: ID!, $customer: ID!) {
      createFeature(input: { key: "calls", name: "Calls", kind: limit, meterId: $meter }) { id }
      overrideEntitlement(input: { customerId: $customer, feature: "calls", value: 50 }) { id }
      reserveEntitlement(input: { customerId: $customer, feature: "calls", amount: 1 }) { id }
    }`,
    { meter: meterId, customer: customer.id },
  );
  const kind = "case i % 3 when 0 then 'boolean' when 1 then 'config' else 'limit' end";
  await add('features', { ...id('feat'), key: "'key-' || i", kind });
  await add('reservations', { ...id('res'), customerId: "'cus_' || (i % 300 + 1)" });
  await app.backdoor.execute(
    `insert into vat_id_checks (tenant_alias, id, customer_id, vat_id, status, checked_at)
       values ('acme', 'vic_0', 'cus_0', 'FR1', 'valid', '2026-01-31T00:00:00.000Z')`,
  );
  await add('vatIdChecks', { ...id('vic'), customerId: "'cus_' || (i % 300 + 1)" });
  await add('customerNotes', { ...id('note'), customerId: "'cus_' || (i % 300 + 1)" });
  await add('meters', { ...id('mtr'), event: "case when i % 50 = 0 then 'a' else 'b' end" });
  await add('usageEvents', { ...id('use'), customerId: "'cus_' || (i % 300)", at });
  await add('coupons', { ...id('coup'), active: 'i % 3 = 0' });
  const code = { activeCode: "'code-' || i", couponId: "'coup_' || (i % 300 + 1)" };
  await add('promotionCodes', { ...id('promo'), ...code });
  await client.graphql('mutation ($id: ID!) { createPortalSession(input: { customerId: $id }) { url } }', {
    id: customer.id,
  });
  await add('mrrMovements', {
    ...id('mrr'),
    at,
    customerId: "'cus_' || i",
    kind: `case when i % 50 = 0 then 'churn' else 'new' end`,
  });
  const each = { customerId: "'cus_' || i" };
  await add('paymentMethods', { ...id('pm'), ...each });
  await client.graphql(
    'mutation ($id: ID!) { createCustomerSession(input: { customerId: $id }) { expiresAt } }',
    {
      id: customer.id,
    },
  );
  await add('customerSessions', { ...id('css'), ...each, tokenHash: "'hash-' || i" });
  await add('portalSessions', { ...id('pss'), ...each, linkHash: "'hash-' || i" });
  // Of several products: with one alone its index finds no fewer rows than any other.
  await add('subscriptions', { ...id('sub'), ...each, ...standing, productId: "'prod_' || (i % 50)" });
  await credit();
  await add('creditNotes', {
    ...id('cn'),
    ...each,
    invoiceId: "'inv_' || i",
    documentNumber: "'CN-' || i",
    eInvoiceStatus,
  });
  await add('invoices', {
    ...id('inv'),
    ...each,
    number: 'i + 100',
    documentNumber: "'INV-' || i",
    subscriptionId: "'sub_' || i",
    status: invoiceStatus,
    dueAt: `case i % 4 when 0 then ${at} end`,
    eInvoiceStatus,
    evidenceGap: `case i % 50 when 0 then 'contradictory' when 1 then 'insufficient' end`,
  });
  await add('intents', {
    ...id('int'),
    ...each,
    status: `case i % 10 when 0 then 'expired' when 1 then 'requires_payment_method' else 'succeeded' end`,
  });
  await add('payments', {
    ...id('pay'),
    ...each,
    kind: `case i % 40 when 0 then 'refund' when 1 then 'dispute' else 'charge' end`,
    status: `case i % 30 when 0 then 'failed' when 2 then 'pending' else 'succeeded' end`,
    declineCode: `case i % 30 when 0 then 'expired_card' end`,
  });
  await client.graphql(
    'mutation ($c: ID!, $coupon: ID!) { applyDiscount(input: { customerId: $c, couponId: $coupon }) { id } }',
    {
      c: customer.id,
      coupon: coupon.id,
    },
  );
  await add('discounts', { ...id('disc'), ...each, couponId: "'coup_' || (i % 300 + 1)" });
  const cost = '{ amount: 1, currency: "usd" }';
  await client.graphql(
    `mutation ($c: ID!) {
      createInvoiceItem(input: { customerId: $c, amount: ${cost}, description: "Work" }) { id }
      grantCredit(input: { customerId: $c, amount: ${cost}, reason: "Thanks" }) { id }
    }`,
    { c: customer.id },
  );
  grant = (
    await client.graphql(
      `mutation ($c: ID!) {
        createCreditGrant(input: { customerId: $c, name: "Thanks", amount: ${cost}, category: paid }) { id }
      }`,
      { c: customer.id },
    )
  ).createCreditGrant;
  await add('invoiceItems', {
    ...id('item'),
    ...each,
    invoiceId: `case i % 10 when 0 then null else 'inv_' || i end`,
  });
  await add('balanceEntries', {
    ...id('bal'),
    ...each,
    kind: `case i % 3 when 0 then 'credit' when 1 then 'grant' else 'use' end`,
  });
  await add('traces', {
    eventId: "'evt_' || i",
    executorId: "'key-' || (i % 100)",
    activityType: `case i % 3 when 0 then 'GroupEvent' when 1 then 'PriceEvent' else 'InvoiceEvent' end`,
    resourceId: "'cus_' || (i % 500)",
    customerId: "'cus_' || (i % 500)",
  });
  await app.backdoor.execute(
    `insert into webhook_deliveries (tenant_alias, id, endpoint_id, event_id, type, chain, sequence, status, attempt, tries, created_at)
     with recursive n(i) as (select 1 union all select i + 1 from n where i < ${rowsPerTable})
     select 'acme', 'del_' || i, 'end_' || (i % 20), 'evt_' || i, 'a', 'b', i,
       case i % 10 when 0 then 'failed' when 1 then 'pending' when 2 then 'cancelled' else 'delivered' end, 1, '[]', ${at} from n`,
  );
  await app.backdoor.execute(
    `insert into mail_deliveries (tenant_alias, id, kind, customer_id, recipient, language, data, message_id, chain, status, attempt, tries, created_at)
     with recursive n(i) as (select 1 union all select i + 1 from n where i < ${rowsPerTable})
     select 'acme', 'mail_' || i, case i % 2 when 0 then 'receipt' else 'cancelled' end, 'cus_' || i, 'a@example.org', 'en', '{}', 'm' || i, 'c' || i,
       case i % 10 when 0 then 'failed' when 1 then 'pending' when 2 then 'cancelled' when 3 then 'bounced' else 'sent' end, 1, '[]', ${at} from n`,
  );
  await client.graphql(
    'mutation { updateMailTemplate(input: { kind: receipt, language: de, subject: "Danke" }) { id } }',
  );
  await add('mailTemplates', { ...id('mtpl'), kind: "'kind-' || i" });
}

/** Some of each status. */
const noInstant = engine === 'sqlite' ? 'null' : 'null::timestamptz';
const eInvoiceStatus = `case i % 50 when 0 then 'queued' when 1 then 'sent' when 2 then 'accepted' when 3 then 'rejected' when 4 then 'failed' end`;
const invoiceStatus = `case i % 4 when 0 then 'open' when 1 then 'void' when 2 then 'uncollectible' else 'paid' end`;
const standing = {
  cancelledAt: `case i % 10 when 1 then ${at} else ${noInstant} end`,
  pausedAt: `case i % 10 when 2 then ${at} else ${noInstant} end`,
  pastDueSince: `case i % 10 when 3 then ${at} else ${noInstant} end`,
  currentPeriodEnd: `case i % 10 when 4 then ${noInstant} else ${at} end`,
};

type Read = [TableName, any];

/** What the database is asked while something is done. */
async function recordReads(work: () => Promise<unknown>): Promise<Read[]> {
  const reads: Read[] = [];
  // oxlint-disable-next-line typescript/unbound-method -- it is called with its own `this`
  const select = Queries.prototype.select;
  Queries.prototype.select = function (this: Queries, name, selection) {
    if (name !== 'apiKeys' && name !== 'tenants') reads.push([name, selection]);
    return select.call(this, name, selection as never) as never;
  };
  try {
    await work();
  } finally {
    Queries.prototype.select = select;
  }
  return reads;
}

/** The plan of a read, line by line. */
async function explainRead([name, selection]: Read, isCount = false): Promise<string[]> {
  const isSqlite = engine === 'sqlite';
  const tables: Record<TableName, any> = isSqlite ? sqlite : postgres;
  const { query: built } = readSelection(name, selection, isSqlite, isCount).build({
    tables,
    builder,
    ...(isSqlite ? sqliteExpressions : { hints: postgresHints, measureJson: measurePostgresJson }),
  });
  const { sql: query, params } = built.toSQL();
  return explain(query, params.length);
}

/** On SQLite one search of an index; on PostgreSQL an index and a limit, but for a sort of the row of a unique key. */
function expectIndexed(plan: string[], { index }: Filter) {
  const whole = plan.join('\n');
  if (engine === 'sqlite') {
    expect(plan, whole).toHaveLength(1);
    expect(whole).toMatch(new RegExp(`^SEARCH \\w+ USING (COVERING )?INDEX ${index} \\(`));
    return;
  }
  expect(whole).toMatch(new RegExp(`Index (Only )?Scan (Backward )?using ${index} on`));
  expect(whole).not.toMatch(/Seq Scan|Bitmap/);
  if (!/customers_associated|promotion_codes_active_code|features_key|lookup_key/.test(index))
    expect(whole).not.toMatch(/Sort/);
}

/** A page of a list; that of a customer or a group is within it. */
function listDocument(key: string, args: string, page: string): string {
  const [field, of] = key.split('(')[0]!.split('.').toReversed();
  const list = `list: ${field}(${page} ${args.replace('CUSTOMER', JSON.stringify(customer.id))}) {
    edges { cursor } nextCursor
  }`;
  if (of === 'Customer') return `{ of: customer(id: "${customer.id}") { ${list} } }`;
  if (of === 'CreditGrant') return `{ of: creditGrant(id: "${grant.id}") { ${list} } }`;
  if (of === 'Coupon') return `{ of: coupon(id: "${coupon.id}") { ${list} } }`;
  return of === 'Group' ? `{ of: group(id: "${group.id}") { ${list} } }` : `{ ${list} }`;
}

describe('every filter of every list', () => {
  it('has a row', () => {
    expect(Object.keys(filters).toSorted()).toEqual(filtersOfSchema().toSorted());
  });

  it('of REST has one, alone and together with the others of its route', () => {
    const known = new Set([...Object.keys(filters), ...Object.keys(combinations)]);
    const lists = listsOfRest();
    expect(lists.length).toBeGreaterThan(5);
    expect(lists.filter((list) => !known.has(list))).toEqual([]);
  });

  const listed = Object.entries({ ...filters, ...combinations });
  it.each(sampledInCore(sampled(listed, engine === 'postgres' ? 3 : 1), 6))('%s', async (key, filter) => {
    const pages = ['first: 2', 'first: 2, order: ASC', 'last: 2'];
    // A cursor is valid for its list, its filter and its order.
    const findCursor = async (page: string): Promise<string | undefined> => {
      const all = await client.graphql(listDocument(key, filter.args, page));
      return (all.of ?? all).list.edges[0]?.cursor;
    };
    const after = await findCursor('first: 1');
    if (after) pages.push(`first: 2, after: "${after}"`);
    const before = await findCursor('first: 1, order: ASC');
    if (before) pages.push(`last: 2, before: "${before}", order: ASC`);
    for (const page of pages) {
      const reads = await recordReads(() => client.graphql(listDocument(key, filter.args, page)));
      const ofList = reads.filter(([, { orderBy }]) => orderBy);
      expect(ofList).toHaveLength(filter.isScan ? 2 : 1);
      for (const read of ofList) {
        const [, selection] = read;
        expectIndexed(await explainRead(read), filter);
        // A step of a scan is bounded by its first statement, and everything else by its limit.
        expect(selection.limit).toBeLessThan(10);
      }
      await expectCountIndexed(ofList[0]!, filter);
      if (!filter.isScan) continue;
      expect(ofList[0]![1].skip).toBeGreaterThan(0);
      for (const [name, selection] of ofList) {
        const bounds = selection.orderBy.map(() => 'a');
        expectIndexed(await explainRead([name, { ...selection, past: bounds, upTo: bounds }]), filter);
      }
    }
  });
});

/** A count steps through the index of the list, and reads no more of it than a step. */
async function expectCountIndexed([name, { where, filter: others, orderBy }]: Read, filter: Filter) {
  const bounds = orderBy.map(() => 'a');
  for (const past of [undefined, bounds]) {
    const ends = await explainRead([name, { where, orderBy, past, skip: 99, limit: 1, leaveOut: [] }]);
    expectIndexed(ends, filter);
    const rows = [name, { where, filter: others, orderBy, past, upTo: bounds }] as Read;
    const counted = (await explainRead(rows, true)).join('\n');
    expect(counted).toMatch(engine === 'sqlite' ? /^SEARCH/ : /Index (Only )?Scan/);
    expect(counted).not.toMatch(/Seq Scan|SCAN/);
  }
}

describe('scans', () => {
  it('find the new traces of a customer by their index', async () => {
    const where = { tenantAlias: 'a', customerId: 'a' };
    const read: Read = ['traces', { where, orderBy: ['eventId'], past: ['a'], limit: 100 }];
    expectIndexed(await explainRead(read), { args: '', index: 'traces_customer' });
  });

  const before = { to: 'a' };
  const works: [what: string, read: Read, index: string][] = [
    [
      'charges of one-off invoices that nobody waits for',
      [
        'invoices',
        {
          where: { tenantAlias: 'a', chargeStartedAt: { ...before, inIndex: 'invoices_charging' } },
          orderBy: ['chargeStartedAt', 'id'],
          limit: 50,
        },
      ],
      'invoices_charging',
    ],
    [
      'payments without an outcome',
      [
        'payments',
        {
          where: { tenantAlias: 'a', status: 'pending', reference: null, createdAt: before },
          orderBy: ['createdAt', 'id'],
          limit: 100,
        },
      ],
      'payments_pending',
    ],
    [
      'retries of final invoices',
      [
        'invoices',
        {
          where: { tenantAlias: 'a', retryAt: { ...before, inIndex: 'invoices_retries' } },
          orderBy: ['retryAt', 'id'],
          limit: 50,
        },
      ],
      'invoices_retries',
    ],
    [
      'items of a customer that wait for an invoice',
      [
        'invoiceItems',
        { where: { tenantAlias: 'a', customerId: 'a', invoiceId: null, removedAt: null }, orderBy: ['id'] },
      ],
      'invoice_items_waiting',
    ],
    [
      'payments of a customer that are under way',
      [
        'intents',
        {
          where: { tenantAlias: 'a', customerId: 'a' },
          filter: { status: ['processing', 'requires_action'] },
          orderBy: ['createdAt', 'id'],
        },
      ],
      'intents_customer',
    ],
    [
      'credits that have expired',
      [
        'balanceEntries',
        {
          where: { tenantAlias: 'a', expiresAt: before, remainingMinor: { isPositive: true } },
          orderBy: ['expiresAt', 'id'],
          limit: 100,
        },
      ],
      'balance_entries_expiring',
    ],
    [
      'discounts that have ended',
      [
        'discounts',
        {
          where: { tenantAlias: 'a', endsAt: { ...before, inIndex: 'discounts_ending' } },
          orderBy: ['endsAt', 'id'],
          limit: 100,
        },
      ],
      'discounts_ending',
    ],
  ];
  it.each(works)('find %s by their index', async (_, read, index) => {
    expectIndexed(await explainRead(read), { args: '', index });
  });

  it.each([
    ['taxReport', 'rows { start }'],
    ['taxDocuments', 'nodes { documentId }'],
  ])('%s reads the documents of its period alone, by the indexes of their times', async (root, selection) => {
    const document = `{ ${root}(input: { from: "2026-01-01", until: "2026-04-01" }) { ${selection} } }`;
    const reads = await recordReads(() => client.graphql(document));
    const ofPeriod = reads.filter(([, { orderBy }]) => orderBy);
    const used = new Set<string>();
    for (const read of ofPeriod) {
      const [name, reading] = read;
      const isLater = reading.where['issuedAt'] !== undefined;
      const column = isLater ? 'issuedAt' : 'createdAt';
      expect(Object.keys(reading.where[column])).toEqual(expect.arrayContaining(['from', 'before']));
      const ofInvoices = isLater ? 'invoices_issued_later' : 'invoices_created';
      const index = name === 'invoices' ? ofInvoices : 'credit_notes_created';
      used.add(index);
      const bounds = ['a', 'a'];
      expectIndexed(await explainRead(read), { args: '', index });
      expectIndexed(await explainRead([name, { ...reading, past: bounds, upTo: bounds }]), {
        args: '',
        index,
      });
    }
    expect([...used]).toEqual(['invoices_created', 'invoices_issued_later', 'credit_notes_created']);
  });

  it('forecasts a tenant by the index of its customers', async () => {
    const document = 'query ($until: DateTime!) { tenant { forecast(until: $until) { charges } } }';
    const until = new Date(Date.now() + 300 * 86_400_000).toISOString();
    const reads = await recordReads(() => client.graphql(document, { until }));
    const ofTenant = reads.filter(([name, { orderBy }]) => name === 'subscriptions' && orderBy);
    expect(ofTenant.length).toBeGreaterThan(2);
    for (const read of ofTenant) {
      // PostgreSQL may take any index by customer: it bounds a slice, and the rest is to order those of one customer.
      if (engine === 'sqlite')
        expectIndexed(await explainRead(read), { args: '', index: 'subscriptions_customer' });
      else expect((await explainRead(read)).join()).not.toMatch(/Seq Scan|Bitmap|-> {2}Sort/);
    }
  });

  it.each([
    'Ada Lovelace',
    'cus_01',
    'sub_01',
    'inv_01',
    'cn_01',
    'prod_01',
    'price_01',
    'promo_01',
    'mail_01',
    'evt_01',
  ])('searches for %s by indexes in their order, and reads no more than it shows', async (query) => {
    // The index has everything, and finds nothing: only the types without entries are read.
    await app.backdoor.execute(
      `insert into search_progress (tenant_alias, last_event) select tenant_alias, max(event_id) from traces
        where tenant_alias = 'acme' group by tenant_alias on conflict do nothing`,
    );
    const all = await recordReads(() =>
      client.graphql('query ($query: String!) { search(query: $query, first: 5) { nodeId } }', { query }),
    );
    const isText = query.includes(' ');
    const reads = all.filter(([name]) => name !== 'searchProgress');
    expect(reads.length).toBe(isText ? 5 : 1);
    for (const read of reads) {
      const plan = await explainRead(read);
      if (engine === 'sqlite') expect(plan, plan.join('\n')).toHaveLength(1);
      expect(plan.join('\n')).toMatch(/SEARCH \w+ USING|Index (Only )?Scan/);
      expect(plan.join('\n')).not.toMatch(/Seq Scan|Bitmap|-> {2}Sort|TEMP B-TREE/);
      const most = isText ? { webhookEndpoints: 50, traces: 1001 }[read[0] as string] : undefined;
      expect(read[1].limit).toBe(most ?? 5);
    }
  });

  it('follows the traces of one resource by an index', async () => {
    const selection = { where: { tenantAlias: 'a', resourceId: 'a' }, orderBy: ['eventId'], limit: 100 };
    const index = 'traces_followed_resource';
    expectIndexed(await explainRead(['traces', { ...selection, past: ['a'] }]), { args: '', index });
  });

  it.each([
    { activityType: 'GroupEvent' },
    { executorId: 'a' },
    { activityType: 'GroupEvent', executorId: 'a', resourceId: 'a' },
  ])('follows the traces of %j through a bounded part of the primary key', async (filter) => {
    const key = engine === 'sqlite' ? 'sqlite_autoindex_traces_1' : 'traces_\\w+_pk(ey)?';
    const step = { where: { tenantAlias: 'a' }, orderBy: ['eventId'], past: ['a'] };
    const edge = await explainRead(['traces', { ...step, skip: 999, limit: 1 }]);
    const within = await explainRead(['traces', { ...step, filter, upTo: ['b'], limit: 100 }]);
    for (const plan of [edge, within]) expectIndexed(plan, { args: '', index: key });
  });
});

it.each([
  ['invoices', 'invoices_reminders'],
  ['subscriptions', 'subscriptions_renewals'],
  ['paymentMethods', 'payment_methods_expiry'],
])('notices of %s are found by the index %s', async (table, index) => {
  const tenant = openScheduledTenant(app.service, (await findTenant(app.service, 'acme'))!);
  const reads = await recordReads(() => giveNotices(tenant, tenant.now()));
  const read = reads.find(([name]) => name === table);
  expectIndexed(await explainRead(read!), { args: '', index });
});
