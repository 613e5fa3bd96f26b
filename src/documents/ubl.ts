/** UBL 2.1: an invoice or a credit note in the first syntax of EN 16931. Elements are in the order of its schema. */
import {
  computePrepaid,
  describeTerms,
  findBreakdownRate,
  findBuyerAddress,
  findBuyerIds,
  findBuyerNames,
  findDelivery,
  findPaymentMeans,
  findSellerIds,
  findTaxGroup,
  formatAmount,
  isOutsideScope,
  listSubtotals,
  typeCodes,
  unitCode,
  type PartyIds,
  type TaxGroup,
  type TaxSubtotal,
} from './en16931.ts';
import { findLinePrice, type LineAdjustment } from './linePrice.ts';
import { core, peppol, type Profile } from './profiles.ts';
import { findDueDate, findProcessId, listNotes, type DocumentNote } from './profileTerms.ts';
import { listCredited, type DocumentRecord } from './record.ts';
import { toXmlText, idElement, parentElement, renderXml, textElement, type XmlElement } from './xml.ts';

const schema = 'urn:oasis:names:specification:ubl:schema:xsd';

/** Renders a record as a UBL Invoice or CreditNote. It is valid if `listMissingFields` returns nothing for the profile. */
export function renderUbl(record: DocumentRecord, profile: Profile = core): string {
  const isCredit = record.kind === 'credit_note';
  const root = isCredit ? 'CreditNote' : 'Invoice';
  const content = [
    textElement('cbc:CustomizationID', profile.specificationId),
    textElement('cbc:ProfileID', findProcessId(record, profile)),
    textElement('cbc:ID', record.number),
    textElement('cbc:IssueDate', record.issueDate),
    // A credit note has its date among the means of payment.
    isCredit ? null : textElement('cbc:DueDate', findDueDate(record, profile)),
    textElement(`cbc:${root}TypeCode`, typeCodes[record.kind]),
    ...listNotes(record, profile).map((note) => textElement('cbc:Note', qualifyNote(note))),
    textElement('cbc:DocumentCurrencyCode', record.currency.toUpperCase()),
    textElement('cbc:TaxCurrencyCode', record.taxInHomeCurrency?.currency.toUpperCase() ?? null),
    textElement('cbc:BuyerReference', record.buyerReference ?? null),
    period(record.period),
    parentElement('cac:OrderReference', [textElement('cbc:ID', record.purchaseOrder ?? null)]),
    ...listCredited(record).map(({ number, issueDate }) =>
      parentElement('cac:BillingReference', [
        parentElement('cac:InvoiceDocumentReference', [
          textElement('cbc:ID', number),
          textElement('cbc:IssueDate', issueDate),
        ]),
      ]),
    ),
    parentElement('cac:AccountingSupplierParty', [seller(record, profile)]),
    parentElement('cac:AccountingCustomerParty', [buyer(record, profile)]),
    delivery(record, profile),
    paymentMeans(record, profile),
    parentElement('cac:PaymentTerms', [textElement('cbc:Note', describeTerms(record))]),
    taxTotal(record, profile),
    homeTaxTotal(record),
    monetaryTotal(record),
    ...documentLines(record, profile),
  ];
  return renderXml({
    name: root,
    attributes: {
      xmlns: `${schema}:${root}-2`,
      'xmlns:cac': `${schema}:CommonAggregateComponents-2`,
      'xmlns:cbc': `${schema}:CommonBasicComponents-2`,
    },
    content: content.filter((child) => child !== null),
  });
}

/** A note that has a subject or contains `#` begins with a subject code (BR-CL-08): AAI is general information. */
const qualifyNote = ({ code, text }: DocumentNote): string | null =>
  code !== null || text?.includes('#') ? `#${code ?? 'AAI'}#${text}` : text;

const amount = (
  name: string,
  amountMinor: bigint | string,
  money: Pick<DocumentRecord, 'currency' | 'currencyDecimals'>,
): XmlElement | null =>
  textElement(name, formatAmount(amountMinor, money), { currencyID: money.currency.toUpperCase() });

const period = (days: { from: string; to: string } | null): XmlElement | null =>
  parentElement('cac:InvoicePeriod', [
    textElement('cbc:StartDate', days?.from ?? null),
    textElement('cbc:EndDate', days?.to ?? null),
  ]);

function seller(record: DocumentRecord, profile: Profile): XmlElement | null {
  const { legalName, address, registration, footer, contact, electronicAddress, legalRegistration } =
    record.seller;
  const ids = findSellerIds(record);
  return parentElement('cac:Party', [
    idElement('cbc:EndpointID', electronicAddress),
    ...identifiers(ids, isDanish(record, profile)),
    postalAddress('cac:PostalAddress', address),
    ...taxSchemes(ids),
    parentElement('cac:PartyLegalEntity', [
      textElement('cbc:RegistrationName', legalName),
      idElement('cbc:CompanyID', legalRegistration) ?? textElement('cbc:CompanyID', registration),
      textElement('cbc:CompanyLegalForm', footer),
    ]),
    parentElement('cac:Contact', [
      textElement('cbc:Name', contact?.name ?? null),
      textElement('cbc:Telephone', contact?.phone ?? null),
      textElement('cbc:ElectronicMail', contact?.email ?? null),
    ]),
  ]);
}

function buyer(record: DocumentRecord, profile: Profile): XmlElement | null {
  const { address, legalRegistration } = record.buyer;
  const { name, contact } = findBuyerNames(record);
  const ids = findBuyerIds(record);
  return parentElement('cac:Party', [
    idElement('cbc:EndpointID', findBuyerAddress(record, profile)),
    ...identifiers(ids, isDanish(record, profile)),
    postalAddress('cac:PostalAddress', address),
    ...taxSchemes(ids),
    parentElement('cac:PartyLegalEntity', [
      textElement('cbc:RegistrationName', name),
      idElement('cbc:CompanyID', legalRegistration),
    ]),
    parentElement('cac:Contact', [textElement('cbc:Name', contact)]),
  ]);
}

/** Between Danish parties, Peppol has no identifiers without a scheme (DK-R-013). */
const identifiers = ({ others }: PartyIds, needsScheme: boolean): (XmlElement | null)[] =>
  needsScheme
    ? []
    : others.map((id) => parentElement('cac:PartyIdentification', [textElement('cbc:ID', id)]));

const isDanish = ({ seller: { address: from }, buyer: { address: to } }: DocumentRecord, profile: Profile) =>
  profile === peppol && from?.country === 'DK' && to?.country === 'DK';

const postalAddress = (name: string, address: DocumentRecord['seller']['address']): XmlElement | null =>
  parentElement(name, [
    textElement('cbc:StreetName', address?.line1 ?? null),
    textElement('cbc:AdditionalStreetName', address?.line2 ?? null),
    textElement('cbc:CityName', address?.city ?? null),
    textElement('cbc:PostalZone', address?.postalCode ?? null),
    textElement('cbc:CountrySubentity', address?.region ?? null),
    parentElement('cac:Country', [textElement('cbc:IdentificationCode', address?.country ?? null)]),
  ]);

const taxSchemes = ({ vatId, taxRegistration }: PartyIds): (XmlElement | null)[] => [
  taxScheme(vatId, 'VAT'),
  taxScheme(taxRegistration, 'TAX'),
];

const taxScheme = (id: string | null, scheme: string): XmlElement | null =>
  toXmlText(id) === ''
    ? null
    : parentElement('cac:PartyTaxScheme', [
        textElement('cbc:CompanyID', id),
        parentElement('cac:TaxScheme', [textElement('cbc:ID', scheme)]),
      ]);

function delivery(record: DocumentRecord, profile: Profile): XmlElement | null {
  const delivered = findDelivery(record, profile);
  return parentElement('cac:Delivery', [
    textElement('cbc:ActualDeliveryDate', delivered?.date ?? null),
    parentElement('cac:DeliveryLocation', [
      parentElement('cac:Address', [
        textElement('cbc:CityName', delivered?.city ?? null),
        textElement('cbc:PostalZone', delivered?.postalCode ?? null),
        parentElement('cac:Country', [textElement('cbc:IdentificationCode', delivered?.country ?? null)]),
      ]),
    ]),
  ]);
}

function paymentMeans(record: DocumentRecord, profile: Profile): XmlElement | null {
  const { code, reference, account, card } = findPaymentMeans(record, profile);
  return parentElement('cac:PaymentMeans', [
    textElement('cbc:PaymentMeansCode', code),
    record.kind === 'credit_note' ? textElement('cbc:PaymentDueDate', record.dueDate) : null,
    textElement('cbc:PaymentID', reference),
    card &&
      parentElement('cac:CardAccount', [
        textElement('cbc:PrimaryAccountNumberID', card.last4),
        textElement('cbc:NetworkID', card.brand),
      ]),
    account &&
      parentElement('cac:PayeeFinancialAccount', [
        textElement('cbc:ID', account.iban ?? account.proprietaryId),
        textElement('cbc:Name', account.holder),
        parentElement('cac:FinancialInstitutionBranch', [textElement('cbc:ID', account.bic)]),
      ]),
  ]);
}

const taxTotal = (record: DocumentRecord, profile: Profile): XmlElement | null =>
  parentElement('cac:TaxTotal', [
    amount('cbc:TaxAmount', record.totals.taxMinor, record),
    ...listSubtotals(record).map((subtotal) =>
      parentElement('cac:TaxSubtotal', [
        amount('cbc:TaxableAmount', subtotal.taxableMinor, record),
        amount('cbc:TaxAmount', subtotal.taxMinor, record),
        taxCategory(
          'cac:TaxCategory',
          { category: subtotal.category, percent: findBreakdownRate(subtotal, profile) },
          subtotal,
        ),
      ]),
    ),
  ]);

/** The tax in the seller's currency (BT-111). */
const homeTaxTotal = ({ taxInHomeCurrency: tax }: DocumentRecord): XmlElement | null =>
  parentElement('cac:TaxTotal', [tax ? amount('cbc:TaxAmount', tax.taxMinor, tax) : null]);

const taxCategory = (
  name: string,
  { category, percent }: TaxGroup,
  reasons?: Pick<TaxSubtotal, 'reason' | 'reasonCode'>,
): XmlElement | null =>
  parentElement(name, [
    textElement('cbc:ID', category),
    textElement('cbc:Percent', percent),
    textElement('cbc:TaxExemptionReasonCode', reasons?.reasonCode ?? null),
    textElement('cbc:TaxExemptionReason', reasons?.reason ?? null),
    parentElement('cac:TaxScheme', [textElement('cbc:ID', 'VAT')]),
  ]);

function monetaryTotal(record: DocumentRecord): XmlElement | null {
  const { netMinor, totalMinor, payableMinor } = record.totals;
  const prepaidMinor = computePrepaid(record);
  return parentElement('cac:LegalMonetaryTotal', [
    amount('cbc:LineExtensionAmount', netMinor, record),
    amount('cbc:TaxExclusiveAmount', netMinor, record),
    amount('cbc:TaxInclusiveAmount', totalMinor, record),
    prepaidMinor === 0n ? null : amount('cbc:PrepaidAmount', prepaidMinor, record),
    amount('cbc:PayableAmount', payableMinor, record),
  ]);
}

function documentLines(record: DocumentRecord, profile: Profile): (XmlElement | null)[] {
  const onlyO = isOutsideScope(record);
  const [name, measured] =
    record.kind === 'invoice' ? ['Invoice', 'InvoicedQuantity'] : ['CreditNote', 'CreditedQuantity'];
  return record.lines.map((line, index) => {
    const { quantity, unitPrice, adjustments } = findLinePrice(line, record, profile);
    return parentElement(`cac:${name}Line`, [
      textElement('cbc:ID', String(index + 1)),
      textElement(`cbc:${measured}`, quantity, { unitCode }),
      amount('cbc:LineExtensionAmount', line.netMinor, record),
      period(line.period),
      ...adjustments.map((adjustment) => allowanceCharge(record, adjustment, profile)),
      parentElement('cac:Item', [
        textElement('cbc:Description', line.details.join('\n')),
        textElement('cbc:Name', line.description),
        taxCategory('cac:ClassifiedTaxCategory', findTaxGroup(line.tax, onlyO)),
      ]),
      parentElement('cac:Price', [
        textElement('cbc:PriceAmount', unitPrice, { currencyID: record.currency.toUpperCase() }),
      ]),
    ]);
  });
}

const allowanceCharge = (
  record: DocumentRecord,
  { isCharge, amountMinor, reason, reasonCode }: LineAdjustment,
  profile: Profile,
): XmlElement | null =>
  parentElement('cac:AllowanceCharge', [
    textElement('cbc:ChargeIndicator', String(isCharge)),
    // Between Danish parties, ZZZ is a tax other than VAT (DK-R-004).
    reasonCode === 'ZZZ' && isDanish(record, profile)
      ? null
      : textElement('cbc:AllowanceChargeReasonCode', reasonCode),
    textElement('cbc:AllowanceChargeReason', reason),
    amount('cbc:Amount', amountMinor, record),
  ]);
