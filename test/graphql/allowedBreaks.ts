/**
 * What the release after 0.9.0 breaks in the schema, by the row of docs/operations/upgrade.md that tells its users what to write
 * instead. It is the last release that may break what was not deprecated before: with its fixture the table has to be empty,
 * and stays empty.
 */

interface AllowedBreak {
  /** How the row begins: text of its column "Before". */
  row: string;
  /** The changes, as graphql-js describes them. */
  changes: RegExp;
}

/** The mutations whose arguments moved into `input` and `id`: the row of each begins with its name. */
const reshapedMutations = `
  adjustQuantity advanceClock applyDiscount blockMail cancelSubscription checkVatId confirmIntent
  createInvoice createInvoiceItem createPrices deleteCustomer deleteTestTenant eraseCustomer extendTrial
  finishTotp grantCredit recordPayment redeemOperatorLink refundInvoice removeAccount removeOperator
  rotateWebhookSecret setDefaultPaymentMethod setPaymentMethod simulateDispute simulateRefund startTrial
  testAccount unblockMail updateCustomer updateNumberSeries updatePrice
`.match(/\w+/g)!;

const argumentChange = (name: string) =>
  RegExp(
    `^(Mutation\\.${name} arg (?!tenantAlias|input )\\w+ was removed\\.|A required arg \\w+ on Mutation\\.${name} was added\\.)$`,
  );

export const allowedBreaks: AllowedBreak[] = [
  { row: '`customers(tenantAlias: "acme")`', changes: / arg tenantAlias was removed\.$/ },
  ...reshapedMutations.map((name) => ({ row: `\`${name}(`, changes: argumentChange(name) })),
  {
    row: '`changeOperatorRole(',
    changes:
      /^(A required arg id on Mutation\.changeOperatorRole was added|ChangeOperatorRoleInput\.operatorId was removed)\.$/,
  },
  {
    row: '`setDefaultPaymentMethod(',
    changes: /^SetDefaultPaymentMethodInput\.paymentMethodId was removed\.$/,
  },
  {
    row: '`createCreditNote(',
    changes:
      /^(CreateCreditNoteInput|CreditNoteLineInput)\.amount changed type from Float!? to MoneyInput!?\.$/,
  },
  {
    row: 'The types `SubscriptionChangeInput`',
    changes:
      /^(Mutation\.\w+ arg input has changed type from (SubscriptionChange|NumberSeries|RegisterPasskey|FinishPasskey|PasswordSignIn|PasswordStepUp)Input! to \w+Input!|(NumberSeries|RegisterPasskey|FinishPasskey|PasswordSignIn|PasswordStepUp)Input was removed)\.$/,
  },
  {
    row: 'The types `WebhookEndpointSecret`',
    changes:
      /^(Mutation\.\w+ changed type from (WebhookEndpointSecret|InvitedOperator|TotpSetup|RecoveryCodes) to Created\w+|(WebhookEndpointSecret|InvitedOperator|TotpSetup|RecoveryCodes) was removed)\.$/,
  },
  { row: '`event(id:) { customer { id } }`', changes: /^Event\.\w+ changed type from \w+ to \w+Snapshot\.$/ },
  {
    row: '`warnings` of previews',
    changes: /^InvoicePreview\.warnings changed type from \[String!\]! to \[Warning!\]!\.$/,
  },
  { row: '`search { id }`', changes: /^SearchHit\.id was removed\.$/ },
  { row: '`subscriptionHistory {', changes: /^SubscriptionHistoryItem\.id was removed\.$/ },
  {
    row: '`InvoiceLine` with `id: null`',
    changes: / changed type from \[InvoiceLine!\]! to \[PreviewLine!\]!\.$/,
  },
  {
    row: '`SubscriptionItem` in `addOns`',
    changes: /\.addOns changed type from \[SubscriptionItem!\]! to \[OrderedItem!\]!\.$/,
  },
  { row: '`operators { nodes { id } }`', changes: /^TenantOperator\.id was removed\.$/ },
  { row: '`startPasskeySignIn { id }`', changes: /^PasskeyChallenge\.id was removed\.$/ },
  { row: '`InvoiceLineKind`', changes: /^[A-Z_]+ was removed from enum type InvoiceLineKind\.$/ },
  {
    row: '`Tenant.timezone`',
    changes: /^(Tenant|OperatorTenant|CreateTestTenantInput)\.timezone was removed\.$/,
  },
  { row: '`Tenant.test`', changes: /^Tenant\.test was removed\.$/ },
  {
    row: '`TaxRate.postcode`',
    changes: /^((TaxRate|CreateTaxRateInput)\.postcode|StandardTaxRate\.postcodes) was removed\.$/,
  },
  { row: '`InvoiceCollection`', changes: /^InvoiceCollection was removed\.$/ },
  {
    row: '`String` of currencies',
    changes: / changed type from String!? to (Currency|CountryCode|URL|Date)!?\.$/,
  },
  {
    row: '`SubscriptionContract.billedCount',
    changes: /^SubscriptionContract\.billedCount changed type from Float! to Int!\.$/,
  },
  { row: '`Payment.provider`', changes: /\.provider changed type from String! to PaymentProvider!?\.$/ },
  {
    row: '`previewPlanChange(',
    changes: /^(Query\.previewPlanChange|PlanChange|PlanChangeKind) was removed\.$/,
  },
  {
    row: '`SubscriptionIntent.paymentUrl',
    changes: /^SubscriptionIntent\.paymentUrl changed type from String! to URL\.$/,
  },
  {
    row: '`ChangePolicy.planUpgrade',
    changes: /^ChangePolicy\.planUpgrade changed type from ChangeBilling! to ChangeBilling\.$/,
  },
];
