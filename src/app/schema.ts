import { GraphQLSchema, type GraphQLObjectType } from 'graphql';
import { GroupResolver, ProductGroupResolver } from '../billing/catalog/groups.graphql.ts';
import { PriceModelResolver } from '../billing/catalog/priceModels.graphql.ts';
import { PriceQuoteResolver } from '../billing/catalog/pricePreviews.graphql.ts';
import { PriceResolver } from '../billing/catalog/prices.graphql.ts';
import { PriceProductResolver, ProductResolver } from '../billing/catalog/products.graphql.ts';
import {
  ForecastResolver,
  ForecastSumResolver,
  TenantForecastResolver,
} from '../billing/renewals/forecast.graphql.ts';
import { CreditResolver, CustomerBalanceResolver } from '../billing/invoices/credits.graphql.ts';
import { findCredit } from '../billing/invoices/grantedCredits.ts';
import {
  CreditNoteLineResolver,
  CreditNoteResolver,
  InvoiceCreditNotesResolver,
} from '../billing/invoices/creditNotes.graphql.ts';
import { findPayment } from '../billing/payments/payments.ts';
import { findCreditNote } from '../billing/invoices/creditNotes.ts';
import { CreateCreditNoteResolver } from '../billing/invoices/issueCreditNote.graphql.ts';
import { InvoiceDocumentResolver } from '../billing/invoices/documents.graphql.ts';
import { CustomerInvoicesResolver, InvoiceResolver } from '../billing/invoices/invoices.graphql.ts';
import { InvoicePaymentsResolver, PaymentResolver } from '../billing/payments/payments.graphql.ts';
import { InvoicePaymentResolver } from '../billing/renewals/invoicePayment.graphql.ts';
import { VatIdCheckResolver } from '../billing/tax/vatIdChecks.graphql.ts';
import { FinalizationResolver } from '../billing/renewals/invoiceFinalization.graphql.ts';
import {
  CustomerItemsResolver,
  InvoiceItemResolver,
  OneOffInvoiceResolver,
} from '../billing/invoices/oneOff.graphql.ts';
import {
  CustomerMethodsResolver,
  PaymentMethodResolver,
} from '../billing/payments/paymentMethods.graphql.ts';
import { findPaymentMethod } from '../billing/payments/paymentMethods.ts';
import {
  CustomerMethodChangesResolver,
  SubscriptionMethodResolver,
} from '../billing/collection/customerMethods.graphql.ts';
import { findInvoiceItem } from '../billing/invoices/oneOffInvoices.ts';
import { LineDiscountResolver, LineResolver } from '../billing/invoices/lines.graphql.ts';
import { LineTaxResolver, TaxTotalResolver } from '../billing/invoices/taxes.graphql.ts';
import { TestClockResolver } from '../billing/renewals/testClock.graphql.ts';
import {
  InvoicePreviewResolver,
  NextInvoiceResolver,
} from '../billing/subscriptions/changes/previews.graphql.ts';
import { SubscriptionChangeResolver } from '../billing/subscriptions/changes/subscriptionChange.graphql.ts';
import { SubscriptionItemResolver } from '../billing/subscriptions/changes/addOns.graphql.ts';
import { IntentItemsResolver, SubscriptionItemsResolver } from '../billing/subscriptions/items.graphql.ts';
import {
  PlanChangeResolver,
  SubscriptionChangesResolver,
} from '../billing/subscriptions/lifecycle.graphql.ts';
import { findInvoice } from '../billing/invoices/invoices.ts';
import { findGroup } from '../billing/catalog/groups.ts';
import { findPrice } from '../billing/catalog/prices.ts';
import { findProduct } from '../billing/catalog/products.ts';
import { CouponResolver } from '../billing/discounts/coupons.graphql.ts';
import { findCoupon } from '../billing/discounts/coupons.ts';
import {
  CouponDiscountsResolver,
  CustomerDiscountsResolver,
  DiscountResolver,
} from '../billing/discounts/discounts.graphql.ts';
import { findDiscount } from '../billing/discounts/discounts.ts';
import { PromotionCodeResolver } from '../billing/discounts/promotionCodes.graphql.ts';
import { findPromotionCode } from '../billing/discounts/promotionCodes.ts';
import { CustomerResolver } from '../billing/customers/customers.graphql.ts';
import { findCustomer } from '../billing/customers/customers.ts';
import { ErrorReasonResolver } from '../graphql/errorReasons.ts';
import { defineNodeResolver } from '../graphql/node.ts';
import { DeletionResolver, RetainedDocumentsResolver } from '../erasure/deletion.graphql.ts';
import { ProductChangesResolver } from '../billing/subscriptions/productChanges.graphql.ts';
import {
  ScheduledChangeResolver,
  SubscriptionScheduleResolver,
} from '../billing/subscriptions/changes/scheduledChange.graphql.ts';
import { IntentResolver } from '../billing/subscriptions/intents/intents.graphql.ts';
import { findIntent } from '../billing/subscriptions/intents/intents.ts';
import {
  CustomerSubscriptionsResolver,
  InvoiceSubscriptionResolver,
} from '../billing/subscriptions/customerSubscriptions.graphql.ts';
import { HistoryResolver } from '../billing/subscriptions/history.graphql.ts';
import { DunningResolver } from '../billing/subscriptions/dunning.graphql.ts';
import { SubscriptionResolver } from '../billing/subscriptions/subscriptions.graphql.ts';
import {
  IntentCodeResolver,
  SubscriptionDiscountsResolver,
} from '../billing/subscriptions/subscriptionDiscounts.graphql.ts';
import { SearchResolver } from '../insights/search/search.graphql.ts';
import { TimelineResolver } from '../insights/timeline/timeline.graphql.ts';
import { findSubscription } from '../billing/subscriptions/subscriptions.ts';
import { TrialResolver } from '../billing/subscriptions/trials.graphql.ts';
import {
  CreatedPortalSessionResolver,
  PortalSessionResolver,
} from '../access/portal/portalSessions.graphql.ts';
import { findPortalSession } from '../access/portal/sessions.ts';
import { CohortAgeResolver, CohortResolver } from '../insights/revenue/cohorts.graphql.ts';
import { ForecastMonthResolver } from '../insights/revenue/forecastMonths.graphql.ts';
import { PaymentToRecoverResolver } from '../insights/revenue/paymentsToRecover.graphql.ts';
import {
  CustomerMrrResolver,
  MovementResolver,
  SubscriptionMrrResolver,
} from '../insights/revenue/movements.graphql.ts';
import { findMovement } from '../insights/revenue/movements.ts';
import { RevenuePointResolver, RevenueResolver } from '../insights/revenue/revenue.graphql.ts';
import { MeResolver } from '../access/me.graphql.ts';
import { AccountResolver, TenantAccountsResolver } from '../tenants/accounts.graphql.ts';
import { ApiKeyResolver, CreatedApiKeyResolver } from '../access/apiKeys.graphql.ts';
import { NumberSeriesResolver } from '../tenants/numberSeries.graphql.ts';
import { TenantResolver } from '../tenants/tenants.graphql.ts';
import { TaxRateResolver } from '../billing/tax/taxRates.graphql.ts';
import { UntaxedHomeResolver } from '../billing/tax/untaxedHome.graphql.ts';
import { findTaxRate } from '../billing/tax/taxRates.ts';
import { LiveResolver } from '../insights/activity/follow.graphql.ts';
import { TraceResolver } from '../insights/activity/traces.graphql.ts';
import { findTrace } from '../insights/activity/traces.ts';
import { CustomerMailResolver } from '../outgoing/mails/blocking.graphql.ts';
import { InvoiceMailsResolver, MailDeliveryResolver } from '../outgoing/mails/mails.graphql.ts';
import { MailTemplateResolver } from '../outgoing/mails/templates.graphql.ts';
import { findMailDelivery } from '../outgoing/mails/deliveries.ts';
import { findMailTemplate } from '../outgoing/mails/templates.ts';
import { DeliveryResolver } from '../outgoing/webhooks/deliveries.graphql.ts';
import { findDelivery } from '../outgoing/webhooks/deliveries.ts';
import { EndpointResolver, EndpointSecretResolver } from '../outgoing/webhooks/endpoints.graphql.ts';
import { findEndpoint } from '../outgoing/webhooks/endpoints.ts';
import { EventResolver, TraceEventResolver } from '../outgoing/webhooks/events.graphql.ts';
import { EventTypeResolver } from '../outgoing/webhooks/eventTypes.graphql.ts';
import { OperatorSessionResolver, OperatorTypeResolver } from '../access/operators/operatorTypes.graphql.ts';
import { PasskeyResolver, PasswordResolver } from '../access/operators/credentials.graphql.ts';
import { MeOperatorResolver } from '../access/operators/me.graphql.ts';
import { InvitedOperatorResolver, TenantOperatorResolver } from '../access/operators/team.graphql.ts';
import { TestTenantResolver } from '../access/operators/testTenants.graphql.ts';
import { SignInResolver } from '../access/operators/signIn.graphql.ts';
import { buildSchemaFrom } from '../graphql/buildSchema.ts';

/** The GraphQL schema of the service. */
export const schema = buildSchemaFrom([
  TenantResolver,
  NumberSeriesResolver,
  TenantAccountsResolver,
  AccountResolver,
  ApiKeyResolver,
  CreatedApiKeyResolver,
  MeResolver,
  SignInResolver,
  PasskeyResolver,
  PasswordResolver,
  OperatorTypeResolver,
  OperatorSessionResolver,
  MeOperatorResolver,
  TenantOperatorResolver,
  TestTenantResolver,
  InvitedOperatorResolver,
  ErrorReasonResolver,
  CustomerResolver,
  CustomerSubscriptionsResolver,
  CustomerBalanceResolver,
  CreditResolver,
  CustomerItemsResolver,
  PaymentMethodResolver,
  CustomerMethodsResolver,
  CustomerMethodChangesResolver,
  SubscriptionMethodResolver,
  GroupResolver,
  ProductResolver,
  ProductGroupResolver,
  PriceResolver,
  PriceQuoteResolver,
  PriceModelResolver,
  PriceProductResolver,
  TaxRateResolver,
  UntaxedHomeResolver,
  CouponResolver,
  PromotionCodeResolver,
  DiscountResolver,
  CouponDiscountsResolver,
  CustomerDiscountsResolver,
  IntentResolver,
  IntentCodeResolver,
  SubscriptionResolver,
  DunningResolver,
  SubscriptionDiscountsResolver,
  HistoryResolver,
  SubscriptionChangesResolver,
  PlanChangeResolver,
  SubscriptionItemResolver,
  SubscriptionItemsResolver,
  IntentItemsResolver,
  SubscriptionChangeResolver,
  InvoicePreviewResolver,
  NextInvoiceResolver,
  ScheduledChangeResolver,
  SubscriptionScheduleResolver,
  TrialResolver,
  ProductChangesResolver,
  DeletionResolver,
  RetainedDocumentsResolver,
  InvoiceResolver,
  InvoicePaymentsResolver,
  PaymentResolver,
  InvoiceItemResolver,
  OneOffInvoiceResolver,
  FinalizationResolver,
  InvoicePaymentResolver,
  VatIdCheckResolver,
  InvoiceDocumentResolver,
  CreditNoteLineResolver,
  CreditNoteResolver,
  InvoiceCreditNotesResolver,
  CreateCreditNoteResolver,
  CustomerInvoicesResolver,
  InvoiceSubscriptionResolver,
  TimelineResolver,
  SearchResolver,
  LineResolver,
  LineDiscountResolver,
  LineTaxResolver,
  TaxTotalResolver,
  ForecastResolver,
  ForecastSumResolver,
  TenantForecastResolver,
  TestClockResolver,
  RevenueResolver,
  RevenuePointResolver,
  CohortResolver,
  CohortAgeResolver,
  ForecastMonthResolver,
  PaymentToRecoverResolver,
  MovementResolver,
  SubscriptionMrrResolver,
  CustomerMrrResolver,
  PortalSessionResolver,
  CreatedPortalSessionResolver,
  TraceResolver,
  LiveResolver,
  EndpointResolver,
  EndpointSecretResolver,
  DeliveryResolver,
  MailDeliveryResolver,
  InvoiceMailsResolver,
  MailTemplateResolver,
  CustomerMailResolver,
  EventResolver,
  TraceEventResolver,
  EventTypeResolver,
  defineNodeResolver({
    Customer: ({ read }, id) => findCustomer(read, id),
    Group: ({ read }, id) => findGroup(read, id),
    Product: ({ read }, id) => findProduct(read, id),
    Price: ({ read }, id) => findPrice(read, undefined, id),
    TaxRate: ({ read }, id) => findTaxRate(read, id),
    Coupon: ({ read }, id) => findCoupon(read, id),
    PromotionCode: ({ read }, id) => findPromotionCode(read, id),
    Discount: ({ read }, id) => findDiscount(read, id),
    SubscriptionIntent: (tenant, id) => findIntent(tenant.read, id, tenant.now()),
    SubscriptionContract: ({ read }, id) => findSubscription(read, id),
    PaymentMethod: ({ read }, id) => findPaymentMethod(read, id),
    Invoice: ({ read }, id) => findInvoice(read, id),
    Credit: async ({ read }, id) => (await findCredit(read, id)) ?? null,
    CreditNote: ({ read }, id) => findCreditNote(read, id),
    Payment: ({ read }, id) => findPayment(read, id),
    InvoiceItem: ({ read }, id) => findInvoiceItem(read, id),
    MrrMovement: ({ read }, id) => findMovement(read, id),
    PortalSession: ({ read }, id) => findPortalSession(read, id),
    WebhookEndpoint: ({ read }, id) => findEndpoint(read, id),
    WebhookDelivery: ({ read }, id) => findDelivery(read, id),
    MailDelivery: ({ read }, id) => findMailDelivery(read, id),
    MailTemplate: ({ read }, id) => findMailTemplate(read, id),
    Trace: async (tenant, eventId) => ({ ...(await findTrace(tenant, { eventId })), id: eventId }),
  }),
]);

/** Creates the schema of webhook payload queries, whose root is one event. */
export const createEventSchema = (): GraphQLSchema =>
  new GraphQLSchema({ query: schema.getType('Event') as GraphQLObjectType });
