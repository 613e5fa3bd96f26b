/**
 * UN/CEFACT Cross Industry Invoice D16B: an invoice or a credit note in the second syntax of EN 16931, which Factur-X
 * embeds in a PDF. Elements are in the order of its schema.
 */
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
} from './en16931.ts';
import { findLinePrice } from './linePrice.ts';
import { core, type Profile } from './profiles.ts';
import { findDueDate, findProcessId, listNotes } from './profileTerms.ts';
import type { DocumentRecord } from './record.ts';
import { idElement, parentElement, renderXml, textElement, type XmlElement } from './xml.ts';

const schema = 'urn:un:unece:uncefact:data:standard';

/** Renders a record as a CrossIndustryInvoice. It is valid if `listMissingFields` returns nothing for the profile. */
export function renderCii(record: DocumentRecord, profile: Profile = core): string {
  const content = [
    parentElement('rsm:ExchangedDocumentContext', [
      parentElement('ram:BusinessProcessSpecifiedDocumentContextParameter', [
        textElement('ram:ID', findProcessId(record, profile)),
      ]),
      parentElement('ram:GuidelineSpecifiedDocumentContextParameter', [
        textElement('ram:ID', profile.specificationId),
      ]),
    ]),
    parentElement('rsm:ExchangedDocument', [
      textElement('ram:ID', record.number),
      textElement('ram:TypeCode', typeCodes[record.kind]),
      day('ram:IssueDateTime', record.issueDate),
      ...listNotes(record, profile).map(({ code, text }) =>
        parentElement('ram:IncludedNote', [
          textElement('ram:Content', text),
          textElement('ram:SubjectCode', code),
        ]),
      ),
      ...(record.furtherCredits ?? []).map(({ number, issueDate }) =>
        // The schema has room for one referenced invoice.
        parentElement('ram:IncludedNote', [
          textElement('ram:Content', `Also credits invoice ${number} of ${issueDate}`),
        ]),
      ),
    ]),
    parentElement('rsm:SupplyChainTradeTransaction', [
      ...documentLines(record, profile),
      parentElement('ram:ApplicableHeaderTradeAgreement', [
        textElement('ram:BuyerReference', record.buyerReference ?? null),
        seller(record),
        buyer(record, profile),
        parentElement('ram:BuyerOrderReferencedDocument', [
          textElement('ram:IssuerAssignedID', record.purchaseOrder ?? null),
        ]),
      ]),
      delivery(record, profile),
      settlement(record, profile),
    ]),
  ];
  return renderXml({
    name: 'rsm:CrossIndustryInvoice',
    attributes: {
      'xmlns:rsm': `${schema}:CrossIndustryInvoice:100`,
      'xmlns:ram': `${schema}:ReusableAggregateBusinessInformationEntity:100`,
      'xmlns:qdt': `${schema}:QualifiedDataType:100`,
      'xmlns:udt': `${schema}:UnqualifiedDataType:100`,
    },
    content: content.filter((child) => child !== null),
  });
}

/** A date in the format 102 of UNTDID 2379: 20260131. */
const day = (name: string, date: string | null, type: 'udt' | 'qdt' = 'udt'): XmlElement | null =>
  parentElement(name, [
    textElement(`${type}:DateTimeString`, date === null ? null : date.replaceAll('-', ''), { format: '102' }),
  ]);

const period = (days: { from: string; to: string } | null): XmlElement | null =>
  parentElement('ram:BillingSpecifiedPeriod', [
    day('ram:StartDateTime', days?.from ?? null),
    day('ram:EndDateTime', days?.to ?? null),
  ]);

function seller(record: DocumentRecord): XmlElement | null {
  const { legalName, address, registration, footer, contact, electronicAddress, legalRegistration } =
    record.seller;
  const ids = findSellerIds(record);
  return parentElement('ram:SellerTradeParty', [
    ...ids.others.map((id) => textElement('ram:ID', id)),
    textElement('ram:Name', legalName),
    textElement('ram:Description', footer),
    parentElement('ram:SpecifiedLegalOrganization', [
      idElement('ram:ID', legalRegistration) ?? textElement('ram:ID', registration),
    ]),
    parentElement('ram:DefinedTradeContact', [
      textElement('ram:PersonName', contact?.name ?? null),
      parentElement('ram:TelephoneUniversalCommunication', [
        textElement('ram:CompleteNumber', contact?.phone ?? null),
      ]),
      parentElement('ram:EmailURIUniversalCommunication', [textElement('ram:URIID', contact?.email ?? null)]),
    ]),
    postalAddress(address),
    parentElement('ram:URIUniversalCommunication', [idElement('ram:URIID', electronicAddress)]),
    ...taxRegistrations(ids),
  ]);
}

function buyer(record: DocumentRecord, profile: Profile): XmlElement | null {
  const { address, legalRegistration } = record.buyer;
  const { name, contact } = findBuyerNames(record);
  const ids = findBuyerIds(record);
  return parentElement('ram:BuyerTradeParty', [
    ...ids.others.map((id) => textElement('ram:ID', id)),
    textElement('ram:Name', name),
    parentElement('ram:SpecifiedLegalOrganization', [idElement('ram:ID', legalRegistration)]),
    parentElement('ram:DefinedTradeContact', [textElement('ram:PersonName', contact)]),
    postalAddress(address),
    parentElement('ram:URIUniversalCommunication', [
      idElement('ram:URIID', findBuyerAddress(record, profile)),
    ]),
    ...taxRegistrations(ids),
  ]);
}

const postalAddress = (address: DocumentRecord['seller']['address']): XmlElement | null =>
  parentElement('ram:PostalTradeAddress', [
    textElement('ram:PostcodeCode', address?.postalCode ?? null),
    textElement('ram:LineOne', address?.line1 ?? null),
    textElement('ram:LineTwo', address?.line2 ?? null),
    textElement('ram:CityName', address?.city ?? null),
    textElement('ram:CountryID', address?.country ?? null),
    textElement('ram:CountrySubDivisionName', address?.region ?? null),
  ]);

const taxRegistrations = ({ vatId, taxRegistration }: PartyIds): (XmlElement | null)[] => [
  parentElement('ram:SpecifiedTaxRegistration', [textElement('ram:ID', vatId, { schemeID: 'VA' })]),
  parentElement('ram:SpecifiedTaxRegistration', [textElement('ram:ID', taxRegistration, { schemeID: 'FC' })]),
];

/** The schema requires the element, which is empty unless the place or the day of delivery matters. */
function delivery(record: DocumentRecord, profile: Profile): XmlElement {
  const delivered = findDelivery(record, profile);
  const content = [
    parentElement('ram:ShipToTradeParty', [
      parentElement('ram:PostalTradeAddress', [
        textElement('ram:PostcodeCode', delivered?.postalCode ?? null),
        textElement('ram:CityName', delivered?.city ?? null),
        textElement('ram:CountryID', delivered?.country ?? null),
      ]),
    ]),
    parentElement('ram:ActualDeliverySupplyChainEvent', [
      day('ram:OccurrenceDateTime', delivered?.date ?? null),
    ]),
  ];
  return {
    name: 'ram:ApplicableHeaderTradeDelivery',
    attributes: {},
    content: content.filter((child) => child !== null),
  };
}

function settlement(record: DocumentRecord, profile: Profile): XmlElement | null {
  const means = findPaymentMeans(record, profile);
  return parentElement('ram:ApplicableHeaderTradeSettlement', [
    textElement('ram:PaymentReference', means.reference),
    textElement('ram:TaxCurrencyCode', record.taxInHomeCurrency?.currency.toUpperCase() ?? null),
    textElement('ram:InvoiceCurrencyCode', record.currency.toUpperCase()),
    parentElement('ram:SpecifiedTradeSettlementPaymentMeans', [
      textElement('ram:TypeCode', means.code),
      parentElement('ram:ApplicableTradeSettlementFinancialCard', [
        textElement('ram:ID', means.card?.last4 ?? null),
      ]),
      means.account &&
        parentElement('ram:PayeePartyCreditorFinancialAccount', [
          textElement('ram:IBANID', means.account.iban),
          textElement('ram:AccountName', means.account.holder),
          textElement('ram:ProprietaryID', means.account.proprietaryId),
        ]),
      parentElement('ram:PayeeSpecifiedCreditorFinancialInstitution', [
        textElement('ram:BICID', means.account?.bic ?? null),
      ]),
    ]),
    ...breakdown(record, profile),
    period(record.period),
    parentElement('ram:SpecifiedTradePaymentTerms', [
      textElement('ram:Description', describeTerms(record)),
      day('ram:DueDateDateTime', findDueDate(record, profile)),
    ]),
    monetarySummation(record),
    parentElement('ram:InvoiceReferencedDocument', [
      textElement('ram:IssuerAssignedID', record.credits?.number ?? null),
      day('ram:FormattedIssueDateTime', record.credits?.issueDate ?? null, 'qdt'),
    ]),
  ]);
}

const breakdown = (record: DocumentRecord, profile: Profile): (XmlElement | null)[] =>
  listSubtotals(record).map((subtotal) => {
    const { category, taxableMinor, taxMinor, reason, reasonCode } = subtotal;
    return parentElement('ram:ApplicableTradeTax', [
      textElement('ram:CalculatedAmount', formatAmount(taxMinor, record)),
      textElement('ram:TypeCode', 'VAT'),
      textElement('ram:ExemptionReason', reason),
      textElement('ram:BasisAmount', formatAmount(taxableMinor, record)),
      textElement('ram:CategoryCode', category),
      textElement('ram:ExemptionReasonCode', reasonCode),
      textElement('ram:RateApplicablePercent', findBreakdownRate(subtotal, profile)),
    ]);
  });

function monetarySummation(record: DocumentRecord): XmlElement | null {
  const { netMinor, taxMinor, totalMinor, payableMinor } = record.totals;
  const prepaidMinor = computePrepaid(record);
  const currencyID = record.currency.toUpperCase();
  const home = record.taxInHomeCurrency;
  return parentElement('ram:SpecifiedTradeSettlementHeaderMonetarySummation', [
    textElement('ram:LineTotalAmount', formatAmount(netMinor, record)),
    textElement('ram:TaxBasisTotalAmount', formatAmount(netMinor, record)),
    textElement('ram:TaxTotalAmount', formatAmount(taxMinor, record), { currencyID }),
    home
      ? textElement('ram:TaxTotalAmount', formatAmount(home.taxMinor, home), {
          currencyID: home.currency.toUpperCase(),
        })
      : null,
    textElement('ram:GrandTotalAmount', formatAmount(totalMinor, record)),
    prepaidMinor === 0n ? null : textElement('ram:TotalPrepaidAmount', formatAmount(prepaidMinor, record)),
    textElement('ram:DuePayableAmount', formatAmount(payableMinor, record)),
  ]);
}

function documentLines(record: DocumentRecord, profile: Profile): (XmlElement | null)[] {
  const onlyO = isOutsideScope(record);
  return record.lines.map((line, index) => {
    const { quantity, unitPrice, adjustments } = findLinePrice(line, record, profile);
    const { category, percent } = findTaxGroup(line.tax, onlyO);
    return parentElement('ram:IncludedSupplyChainTradeLineItem', [
      parentElement('ram:AssociatedDocumentLineDocument', [textElement('ram:LineID', String(index + 1))]),
      parentElement('ram:SpecifiedTradeProduct', [
        textElement('ram:Name', line.description),
        textElement('ram:Description', line.details.join('\n')),
      ]),
      parentElement('ram:SpecifiedLineTradeAgreement', [
        parentElement('ram:NetPriceProductTradePrice', [textElement('ram:ChargeAmount', unitPrice)]),
      ]),
      parentElement('ram:SpecifiedLineTradeDelivery', [
        textElement('ram:BilledQuantity', quantity, { unitCode }),
      ]),
      parentElement('ram:SpecifiedLineTradeSettlement', [
        parentElement('ram:ApplicableTradeTax', [
          textElement('ram:TypeCode', 'VAT'),
          textElement('ram:CategoryCode', category),
          textElement('ram:RateApplicablePercent', percent),
        ]),
        period(line.period),
        ...adjustments.map(({ isCharge, amountMinor, reason, reasonCode }) =>
          parentElement('ram:SpecifiedTradeAllowanceCharge', [
            parentElement('ram:ChargeIndicator', [textElement('udt:Indicator', String(isCharge))]),
            textElement('ram:ActualAmount', formatAmount(amountMinor, record)),
            textElement('ram:ReasonCode', reasonCode),
            textElement('ram:Reason', reason),
          ]),
        ),
        parentElement('ram:SpecifiedTradeSettlementLineMonetarySummation', [
          textElement('ram:LineTotalAmount', formatAmount(line.netMinor, record)),
        ]),
      ]),
    ]);
  });
}
