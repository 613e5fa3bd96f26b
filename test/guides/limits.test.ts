/** docs/limits.md states the limits that the code has, and no constant that looks like a limit is left out of it unnoticed. */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { filesIn, root } from '../sourceFiles.ts';

const read = (file: string) => readFileSync(path.join(root, file), 'utf8');

/** By the file and the constant: the beginning of the row that states it. */
const stated: Record<string, Record<string, string>> = {
  'src/catalogFile/schema.ts': {
    mostProducts: 'products of a catalogue file',
    mostPrices: 'products of a catalogue file',
    mostEntries: 'other lists of a catalogue file',
  },
  'src/catalogFile/state.ts': { mostRecords: 'records beside a catalogue file' },
  'src/lib/ids.ts': { mostLookupKeyCharacters: 'lookup keys' },
  'src/http/rateLimit.ts': {
    windowSeconds: 'requests of a secret key',
    failuresPerMinute: 'wrong keys',
    requestsOfBrowser: "requests of a customer's session",
    requestsOfNetwork: 'requests of a network',
    pointsOfBrowser: 'a session of a customer ',
    pointsOfNetwork: 'a network, with any',
  },
  'src/config/config.ts': { pointsPerRequest: 'a secret key, an operator' },
  'src/graphql/rules/cost.ts': { mostOfBrowser: 'a GraphQL operation', largestPage: 'a page of a list' },
  'src/http/body.ts': { bodyLimitBytes: 'a body' },
  'src/lib/storableText.ts': { nestingLimit: 'a body' },
  'src/mcp/routes.ts': { largestMessageBytes: 'a message to `/mcp`' },
  'src/mcp/tool.ts': { largestResultBytes: 'a result of a tool' },
  'src/mcp/values.ts': { longestMarkedTextCharacters: 'a result of a tool' },
  'src/mcp/schemaText.ts': { longestTypeTextCharacters: 'a result of a tool' },
  'src/mcp/tools/reference.ts': {
    longestDocPartCharacters: 'a result of a tool',
    longestQueryCharacters: 'a message to `/mcp`',
  },
  'src/mcp/tools/proposals.ts': { mostShownChanges: 'changes of a request' },
  'src/mcp/tools/simulation.ts': { mostCountedEvents: 'events that `simulate` counts' },
  'src/http/server.ts': { pathParameterLimit: 'the URL and the headers' },
  'src/http/realtime/session.ts': {
    connectionsPerKey: 'live connections',
    connectionsPerCustomerSession: 'live connections',
    connectionsPerNetwork: 'live connections',
  },
  'src/http/realtime/websocket.ts': {
    subscriptionsPerConnection: 'subscriptions of a WebSocket',
    messageLimitBytes: 'a message to the server',
    unsentLimitBytes: 'events that a client does not read',
  },
  'src/graphql/rules/validationRules.ts': {
    tokenLimit: 'a GraphQL document',
    depthLimit: 'a GraphQL document',
    fieldLimit: 'a GraphQL document',
    rootFieldLimit: 'a GraphQL document',
    aliasLimit: 'a GraphQL document',
    directiveLimit: 'a GraphQL document',
    mostLines: 'lines of a GraphQL document',
  },
  'src/tenancy/pagination.ts': {
    defaultLimit: 'a page of a list',
    maximumLimit: 'a page of a list',
    maxCursorLength: 'a cursor',
  },
  'src/graphql/context.ts': {
    listedRecordsLimit: 'lists without pages',
    repeatedRecordsLimit: 'lists without pages',
  },
  'src/insights/search/search.graphql.ts': { mostFirst: 'a search' },
  'src/access/approvals/requests.ts': { longestRequestDays: 'an action request that waits' },
  'src/access/approvals/preview.ts': { mostChanges: 'the changes of a preview' },
  'src/tenancy/keyLimits.ts': { mostRanges: 'IP addresses and networks' },
  'src/tenancy/searchedList.ts': { mostFound: 'a search' },
  'src/tenancy/tenantScope.ts': { scanLimitMs: 'a scan' },
  'src/storage/scan.ts': { maxScansPerTenant: 'a scan' },
  'src/graphql/rules/inputSizes.ts': {
    mostItems: 'a list in an input',
    mostItemsInAll: 'all lists in the variables',
    mostCharacters: 'a text in GraphQL variables',
  },
  'src/tenants/seller.graphql.ts': { longestLogo: 'a text in GraphQL variables' },
  'src/tenants/branding.graphql.ts': { longestFavicon: 'a text in GraphQL variables' },
  'src/lib/validation.ts': {
    textLimitBytes: 'metadata ',
    nestingLimit: 'metadata ',
    valuesLimit: 'metadata ',
    keyLength: 'metadata keys',
    namedKeys: 'metadata keys',
    valueLength: 'metadata texts',
  },
  'src/lib/errors.ts': { maxIssues: 'issues in an error', maxPathLength: 'issues in an error' },
  'src/tenants/parties.ts': { lineLength: 'names of products', mostTaxIds: 'tax ids' },
  'src/tenants/bankAccount.ts': { lineLength: 'names of products', instructionsLength: 'several lines' },
  'src/billing/invoices/reversals.ts': { longestReason: 'names of products' },
  'src/billing/subscriptions/lifecycle.ts': {
    longestComment: 'the comment of a cancellation',
    longestPauseDays: 'a pause that ends by date',
  },
  'src/lib/urlPolicy.ts': { longestUrl: 'an address on the web' },
  'src/lib/mailAddress.ts': { longestAddress: 'an e-mail address', longestLocalPart: 'an e-mail address' },
  'src/tenants/numberSeries.ts': {
    longestNumber: 'the pattern of a number',
    mostDigits: 'the pattern of a number',
  },
  'src/insights/accounting/settings.ts': {
    longestAccount: 'an account, a tax key of accounting',
    longestKey: 'an account, a tax key of accounting',
    mostRevenueAccounts: '`revenueAccounts` of accounting',
  },
  'src/tenants/taxExemption.ts': { longestReference: "the provision of a seller's exemption" },
  'src/outgoing/mails/templates.ts': { longestSubject: 'the subject of a mail' },
  'src/outgoing/mails/compose.ts': { longestSubject: 'the subject of a mail' },
  'src/outgoing/mails/blocking.ts': { longestReason: 'why an address is blocked' },
  'src/tenants/accounts.ts': { longestSecret: 'the secret of an account' },
  'src/tenants/accessPoint.ts': { longestSecret: 'the secret of an account' },
  'src/billing/invoices/eInvoices.ts': {
    longestReference: 'what an access point says',
    longestMessage: 'what an access point says',
    mostReportIds: 'signed reports of an access point',
  },
  'src/lib/signedMessages.ts': {
    toleranceSeconds: 'signed reports of an access point',
    longestOverlapSeconds: 'signed reports of an access point',
  },
  'src/outgoing/eInvoices/answer.ts': { longestReference: 'what an access point says' },
  'src/access/operators/passkeys.ts': {
    longestName: 'the name of an operator',
    mostPasskeys: 'sessions that an operator sees',
  },
  'src/access/operators/sessions.ts': { maxSessions: 'sessions that an operator sees' },
  'src/access/operators/credentials.ts': { longestInput: 'a password' },
  'src/billing/catalog/priceModels.ts': { largestQuantity: 'a quantity', mostTiers: 'prices in one request' },
  'src/billing/invoices/itemInput.ts': { largestQuantity: 'a quantity' },
  'src/billing/catalog/prices.ts': { largestCount: 'prices in one request', mostQuantities: 'quantities of' },
  'src/billing/catalog/usagePrices.ts': {
    mostRates: '`rates` of a price',
    longestMatch: '`rates` of a price',
    mostFreeEvents: '`freeEvents`',
  },
  'src/billing/catalog/products.ts': { mostFeatures: 'features', largestSortOrder: '`sortOrder`' },
  'src/billing/subscriptions/changes/addOns.ts': { mostAddOns: 'add-ons' },
  'src/billing/pricing/trials.ts': { longestTrialDays: 'a trial' },
  'src/billing/discounts/coupons.ts': {
    mostMonths: '`durationInMonths`',
    mostProducts: 'products of a coupon',
    mostRedemptions: '`maxRedemptions`',
  },
  'src/billing/tax/taxRates.ts': {
    mostDecimals: 'the percent of a tax rate',
    mostRates: 'tax rates of a tenant',
  },
  'src/billing/tax/locationEvidence.ts': {
    mostCompleted: 'open invoices that new evidence joins',
  },
  'src/billing/tax/standardRates.ts': { mostRenewed: 'a file of standard VAT rates' },
  'src/billing/tax/vatRatesFile.ts': { mostRows: 'a file of standard VAT rates' },
  'src/billing/tax/exchangeRates.ts': { mostDaysOld: 'an exchange rate' },
  'src/insights/tax/placeOfSupply.ts': { mostWithoutRate: '`withoutRate`' },
  'src/billing/invoices/taxConversions.ts': { mostListed: '`missingExchangeRates`' },
  'src/billing/discounts/promotionCodes.ts': { longestCode: 'a promotion code' },
  'src/billing/discounts/redemption.ts': { mostDiscounts: 'discounts of a subscription' },
  'src/billing/invoices/oneOffInvoices.ts': { mostCharges: 'charges of', mostWaiting: 'waiting charges' },
  'src/billing/invoices/grantedCredits.ts': { mostCredits: 'credits of a customer' },
  'src/billing/invoices/creditTypes.ts': {
    mostTypes: 'credit types of a tenant',
    mostRates: 'rates of a credit type',
  },
  'src/billing/invoices/autoTopUps.ts': { mostInMonth: 'sales of an automatic top-up' },
  'src/billing/invoices/issueCreditNote.ts': { mostLines: 'lines of a credit note' },
  'src/billing/renewals/forecast.ts': { mostCharges: '`forecast`' },
  'src/insights/revenue/forecastMonths.ts': { mostMonths: '`revenueForecast`' },
  'src/insights/revenue/buckets.ts': { mostBuckets: '`revenue`' },
  'src/insights/revenue/cohorts.ts': { mostCohorts: '`revenue`' },
  'src/app/testClock.ts': { mostItems: 'one call of `advanceClock`' },
  'src/outgoing/webhooks/endpoints.ts': {
    mostEndpoints: 'webhook endpoints',
    longestQuery: 'webhook endpoints',
  },
  'src/tenants/allowedOrigins.ts': { mostOrigins: '`allowedOrigins`' },
  'src/tenants/portalSettings.ts': { mostProducts: 'products among which' },
  'src/documents/logo.ts': { largestBytes: 'a logo, a favicon', largestSide: 'a logo, a favicon' },
  'src/tenants/dunningPolicy.ts': {
    maxDays: 'days of dunning',
    maxDay: 'days of dunning',
    maxGraceDays: 'days of dunning',
  },
  'src/tenants/settings.ts': {
    maxTermsDays: '`paymentTermsDays`',
    maxGraceHours: '`paymentTermsDays`',
    maxRetentionYears: '`documentRetentionYears`',
    maxUsageDays: '`usageRetentionDays`',
  },
  'src/tenants/mailSettings.ts': { maxNoticeDays: 'days between a notice' },
  'src/access/operators/savedViews.ts': {
    mostPerList: 'saved views',
    mostInAll: 'saved views',
    longestName: 'saved views',
    longestQuery: 'saved views',
  },
  'src/billing/usage/meters.ts': {
    mostMeters: 'meters of a tenant',
    mostGroups: 'meters of a tenant',
    mostFilters: 'meters of a tenant',
    mostValues: 'meters of a tenant',
  },
  'src/billing/usage/forgetUsage.ts': { limitDays: '`usageRetentionDays`' },
  'src/billing/usage/meterVersions.ts': { mostVersions: 'meters of a tenant' },
  'src/billing/entitlements/features.ts': { mostFeatures: 'features of a tenant' },
  'src/tenants/usageAlerts.ts': { mostAlerts: 'alerts of a feature' },
  'src/billing/entitlements/productEntitlements.ts': { mostEntitlements: 'features of a tenant' },
  'src/billing/entitlements/changePreview.ts': { mostCustomers: 'features of a tenant' },
  'src/billing/entitlements/terms.ts': { mostPriority: 'the value of a feature' },
  'src/billing/entitlements/reservations.ts': {
    longestTtlSeconds: 'a reservation',
    defaultTtlSeconds: 'a reservation',
    mostOpen: 'a reservation',
  },
  'src/billing/subscriptions/spendAlerts.ts': { mostAlerts: 'alerts of a subscription' },
  'src/billing/subscriptions/usageOverrides.ts': { mostOverrides: 'own terms of a customer' },
  'src/billing/subscriptions/commitment.ts': { mostPeriods: 'periods of a commitment' },
  'src/billing/usage/recordUsage.ts': { mostUsageEvents: 'events of a request' },
  'src/billing/usage/usageEvent.ts': {
    longestId: 'the id, the name of an event',
    longestName: 'the id, the name of an event',
    mostProperties: 'the properties of an event',
    longestText: 'the properties of an event',
  },
  'src/billing/usage/previewMeter.ts': { mostPreviewedEvents: 'windows of' },
  'src/billing/usage/usage.ts': { mostWindows: 'windows of' },
  'src/access/operators/testTenants.ts': { mostTestTenants: 'test tenants' },
  'src/access/operators/links.ts': { lifetimeMs: 'a link of an operator' },
  'src/access/operators/challenges.ts': { lifetimeMs: 'a link of an operator' },
  'src/http/operators/admission.ts': {
    attemptWindowSeconds: 'attempts to sign in',
    attemptsPerAddress: 'attempts to sign in',
    attemptsPerAccount: 'attempts to sign in',
  },
  'src/access/portal/sessions.ts': { lifetimeMs: 'a session of the portal' },
  'src/access/portal/codes.ts': {
    codeLifetimeMs: 'a code for the portal',
    mostAttempts: 'a code for the portal',
    mostCodes: 'a code for the portal',
    mostCustomers: 'a code for the portal',
  },
  'src/pages/shared/routes.ts': { formLimitBytes: 'a form', longFormLimitBytes: 'a form' },
  'src/pages/portal/routes.ts': { longestEmail: 'an e-mail address' },
  'src/outgoing/webhooks/httpClient.ts': { mostResponseBytes: 'a delivery' },
  'src/outgoing/webhooks/dispatcher.ts': {
    mostAtOnce: 'deliveries at once',
    mostPerEndpoint: 'deliveries at once',
  },
  'src/outgoing/mails/dispatcher.ts': { mostAtOnce: 'mails at once' },
  'src/outgoing/eInvoices/dispatcher.ts': {
    mostAtOnce: 'e-invoices at once',
    mostPerTenant: 'e-invoices at once',
  },
  'src/outgoing/mails/bounces.ts': { mostReports: 'reports of bounces' },
  'src/maintenance/tenantFiles/files.ts': { longestLine: 'a line of a file' },
  'src/maintenance/tenantFiles/importTenant.ts': { mostFaults: 'a line of a file' },
};

/** Folders and constants that bound the work of the server itself, or shorten what it shows; no request is refused by them. */
const internalFolders =
  /^src\/(storage|runtime|cli|providers|documents\/pdf|maintenance\/(databaseCopy|doctor|stripeImport)|insights\/search)\//;
const internal = new Set(
  `maxCachedKeys maxBatchSize mostKnown mostKept longestQuoted leavesPerObject mostForms readableLength searchedLength
  leastBytes largeBytes readPerAnswer longestUserAgent secretBytes recoveryLength keyIdLength secretLength nameLength
  signatureLength cursorSecretLength stepSeconds yearSeconds timeoutSeconds retryAfterSeconds mostCompared mostFinalized
  mostDeliveryMs largestBatch mostDue mostNamed mostIds longestPauseMs mostPauses longestChangeMs mostHeldMs mostPasses
  mostOpen longestFailure mostSettings longestResponse mostPools mostWithAddress mostWithFirsts mostTriesKept
  usualOverlapSeconds mostRefused maxWordLength maxSuggestions keyBytes saltBytes mostWaiting tokenBytes timeLength
  sequenceLength randomLength traceIdLength pooledBytes nonceBytes tagBytes maxDecodings maxCharacters gramLength
  mostChecks mostRepeated
  maxConcurrentReads longestSearched mostShown mostEnded mostPrices longestName`.split(/\s+/),
);
const internalPlaces = new Set([
  'src/mcp/prompts.ts longestArgumentCharacters',
  'src/pages/portal/choices.ts mostProducts',
  'src/pages/shared/keptPages.ts lifetimeMs',
  'src/pages/shared/csrf.ts lifetimeMs',
  'src/billing/tax/vatIdChecks.ts mostAtOnce',
  'src/billing/tax/vatIdChecks.ts mostRepeated',
  'src/billing/usage/pieces.ts mostAtOnce',
  'src/graphql/lookupKeys.ts mostKeysOfQuery',
  'src/insights/accounting/datev.ts longestText',
  'src/insights/accounting/datev.ts longestReference',
  'src/insights/accounting/datev.ts longestInfo',
  'src/insights/accounting/charts.ts defaultLength',
  'src/outgoing/mails/bounces.ts longestReason',
]);

const looksLikeLimit =
  /^(?:export )?const (\w*(?:[mM]ost|[mM]ax|[lL]argest|[lL]ongest|[lL]imit|[a-z]Per[A-Z]|[lL]ength|Bytes|[lL]ifetime|Seconds)\w*) = ([\d_ *]+);$/gm;
const isBatch = /^\w+Per(Page|Batch|Write|Read|Round|Commit|Packet)$/;

/** The ways in which the page may write a number. */
function listForms(name: string, value: number): string[] {
  const forms = [value.toLocaleString('en')];
  const add = (unit: number, word: string) => {
    if (value % unit === 0) forms.push(`${(value / unit).toLocaleString('en')} ${word}`);
  };
  if (value % 1024 === 0) {
    add(1024, 'KiB');
    add(1024 * 1024, 'MiB');
  }
  const perSecond = name.endsWith('Ms') ? 1000 : 1;
  if (/Ms$|Seconds$/.test(name)) {
    add(perSecond, 's');
    add(perSecond, 'seconds');
    add(60 * perSecond, 'minutes');
    add(3600 * perSecond, 'hours');
    add(86_400 * perSecond, 'days');
  }
  return forms;
}

const compute = (product: string) =>
  product.split('*').reduce((value, factor) => value * Number(factor.trim().replaceAll('_', '')), 1);

const rows = read('docs/limits.md')
  .split('\n')
  .filter((line) => line.startsWith('| '));

const places = Object.entries(stated).flatMap(([file, constants]) =>
  Object.entries(constants).map(([name, row]) => [file, name, row] as const),
);

it.each(places)('%s %s is in its row', (file, name, row) => {
  const declared = new RegExp(`^(?:export )?const ${name} = ([\\d_ *]+);$`, 'm').exec(read(file));
  expect(declared, `${file} ${name}`).not.toBeNull();
  const found = rows.filter((line) => line.startsWith(`| ${row}`));
  expect(found.length, row).toBeGreaterThan(0);
  const forms = listForms(name, compute(declared![1]!));
  const says = (line: string, form: string) => new RegExp(`(?<![\\d,.])${form}(?![\\d,]*\\d)`).test(line);
  expect(
    found.some((line) => forms.some((form) => says(line, form))),
    `${row}: ${forms.join(' or ')}`,
  ).toBe(true);
});

it('every constant that looks like a limit is in the page or bounds the server alone', () => {
  const files = filesIn('src').filter((file) => !file.startsWith('src/console/'));
  expect(files.length).toBeGreaterThan(300);
  const left = files.flatMap((file) =>
    [...read(file).matchAll(looksLikeLimit)]
      .map(([, name]) => name!)
      .filter((name) => !(name in (stated[file] ?? {})) && !internalFolders.test(file))
      .filter((name) => !internal.has(name) && !isBatch.test(name) && !internalPlaces.has(`${file} ${name}`))
      .map((name) => `${file} ${name}`),
  );
  expect(left).toEqual([]);
});
