/** The business terms of EN 16931, and their places in both syntaxes: tables 2 and 3 of its parts on UBL and CII. */
import { findAll, readXml, writeXml, type XmlNode } from './xmlTree.ts';

export type Syntax = 'ubl' | 'cii';

const ublSeller = 'cac:AccountingSupplierParty/cac:Party';
const ublBuyer = 'cac:AccountingCustomerParty/cac:Party';
const trade = 'rsm:SupplyChainTradeTransaction';
const ciiSeller = `${trade}/ram:ApplicableHeaderTradeAgreement/ram:SellerTradeParty`;
const ciiBuyer = `${trade}/ram:ApplicableHeaderTradeAgreement/ram:BuyerTradeParty`;
const ciiDelivery = `${trade}/ram:ApplicableHeaderTradeDelivery`;
const ciiPaid = `${trade}/ram:ApplicableHeaderTradeSettlement`;
const ciiTotals = `${ciiPaid}/ram:SpecifiedTradeSettlementHeaderMonetarySummation`;
const ciiMeans = `${ciiPaid}/ram:SpecifiedTradeSettlementPaymentMeans`;
const ciiLine = 'ram:SpecifiedLineTradeSettlement';
const ublVat = 'cac:PartyTaxScheme[cac:TaxScheme/cbc:ID=VAT]/cbc:CompanyID';
const ublLineVat = 'cac:Item/cac:ClassifiedTaxCategory[cac:TaxScheme/cbc:ID=VAT]';
const ciiDay = 'udt:DateTimeString';

/** Where a term is, from the group that it belongs to. A place ends with `@` and a name if it is an attribute. */
const places = {
  'BT-1': ['cbc:ID', 'rsm:ExchangedDocument/ram:ID'],
  'BT-2': ['cbc:IssueDate', `rsm:ExchangedDocument/ram:IssueDateTime/${ciiDay}`],
  'BT-3': ['cbc:InvoiceTypeCode|cbc:CreditNoteTypeCode', 'rsm:ExchangedDocument/ram:TypeCode'],
  'BT-5': ['cbc:DocumentCurrencyCode', `${ciiPaid}/ram:InvoiceCurrencyCode`],
  'BT-9': [
    'cbc:DueDate|cac:PaymentMeans/cbc:PaymentDueDate',
    `${ciiPaid}/ram:SpecifiedTradePaymentTerms/ram:DueDateDateTime/${ciiDay}`,
  ],
  'BT-20': ['cac:PaymentTerms/cbc:Note', `${ciiPaid}/ram:SpecifiedTradePaymentTerms/ram:Description`],
  'BT-22': ['cbc:Note', 'rsm:ExchangedDocument/ram:IncludedNote/ram:Content'],
  'BT-24': [
    'cbc:CustomizationID',
    'rsm:ExchangedDocumentContext/ram:GuidelineSpecifiedDocumentContextParameter/ram:ID',
  ],
  'BT-25': [
    'cac:BillingReference/cac:InvoiceDocumentReference/cbc:ID',
    `${ciiPaid}/ram:InvoiceReferencedDocument/ram:IssuerAssignedID`,
  ],
  'BT-26': [
    'cac:BillingReference/cac:InvoiceDocumentReference/cbc:IssueDate',
    `${ciiPaid}/ram:InvoiceReferencedDocument/ram:FormattedIssueDateTime/qdt:DateTimeString`,
  ],
  'BT-27': [`${ublSeller}/cac:PartyLegalEntity/cbc:RegistrationName`, `${ciiSeller}/ram:Name`],
  'BT-29': [`${ublSeller}/cac:PartyIdentification/cbc:ID`, `${ciiSeller}/ram:ID`],
  'BT-30': [
    `${ublSeller}/cac:PartyLegalEntity/cbc:CompanyID`,
    `${ciiSeller}/ram:SpecifiedLegalOrganization/ram:ID`,
  ],
  'BT-31': [`${ublSeller}/${ublVat}`, `${ciiSeller}/ram:SpecifiedTaxRegistration/ram:ID[@schemeID=VA]`],
  'BT-32': [
    `${ublSeller}/cac:PartyTaxScheme[cac:TaxScheme/cbc:ID=TAX]/cbc:CompanyID`,
    `${ciiSeller}/ram:SpecifiedTaxRegistration/ram:ID[@schemeID=FC]`,
  ],
  'BT-40': [
    `${ublSeller}/cac:PostalAddress/cac:Country/cbc:IdentificationCode`,
    `${ciiSeller}/ram:PostalTradeAddress/ram:CountryID`,
  ],
  'BT-44': [`${ublBuyer}/cac:PartyLegalEntity/cbc:RegistrationName`, `${ciiBuyer}/ram:Name`],
  'BT-46': [`${ublBuyer}/cac:PartyIdentification/cbc:ID`, `${ciiBuyer}/ram:ID`],
  'BT-47': [
    `${ublBuyer}/cac:PartyLegalEntity/cbc:CompanyID`,
    `${ciiBuyer}/ram:SpecifiedLegalOrganization/ram:ID`,
  ],
  'BT-48': [`${ublBuyer}/${ublVat}`, `${ciiBuyer}/ram:SpecifiedTaxRegistration/ram:ID[@schemeID=VA]`],
  'BT-49': [`${ublBuyer}/cbc:EndpointID`, `${ciiBuyer}/ram:URIUniversalCommunication/ram:URIID`],
  'BT-49-1': [
    `${ublBuyer}/cbc:EndpointID@schemeID`,
    `${ciiBuyer}/ram:URIUniversalCommunication/ram:URIID@schemeID`,
  ],
  'BT-55': [
    `${ublBuyer}/cac:PostalAddress/cac:Country/cbc:IdentificationCode`,
    `${ciiBuyer}/ram:PostalTradeAddress/ram:CountryID`,
  ],
  'BT-72': [
    'cac:Delivery/cbc:ActualDeliveryDate',
    `${ciiDelivery}/ram:ActualDeliverySupplyChainEvent/ram:OccurrenceDateTime/${ciiDay}`,
  ],
  'BT-73': [
    'cac:InvoicePeriod/cbc:StartDate',
    `${ciiPaid}/ram:BillingSpecifiedPeriod/ram:StartDateTime/${ciiDay}`,
  ],
  'BT-74': [
    'cac:InvoicePeriod/cbc:EndDate',
    `${ciiPaid}/ram:BillingSpecifiedPeriod/ram:EndDateTime/${ciiDay}`,
  ],
  'BT-80': [
    'cac:Delivery/cac:DeliveryLocation/cac:Address/cac:Country/cbc:IdentificationCode',
    `${ciiDelivery}/ram:ShipToTradeParty/ram:PostalTradeAddress/ram:CountryID`,
  ],
  'BT-81': ['cac:PaymentMeans/cbc:PaymentMeansCode', `${ciiMeans}/ram:TypeCode`],
  'BT-83': ['cac:PaymentMeans/cbc:PaymentID', `${ciiPaid}/ram:PaymentReference`],
  'BT-84': [
    'cac:PaymentMeans/cac:PayeeFinancialAccount/cbc:ID',
    `${ciiMeans}/ram:PayeePartyCreditorFinancialAccount/ram:IBANID|${ciiMeans}/ram:PayeePartyCreditorFinancialAccount/ram:ProprietaryID`,
  ],
  'BT-106': ['cac:LegalMonetaryTotal/cbc:LineExtensionAmount', `${ciiTotals}/ram:LineTotalAmount`],
  'BT-107': ['cac:LegalMonetaryTotal/cbc:AllowanceTotalAmount', `${ciiTotals}/ram:AllowanceTotalAmount`],
  'BT-108': ['cac:LegalMonetaryTotal/cbc:ChargeTotalAmount', `${ciiTotals}/ram:ChargeTotalAmount`],
  'BT-109': ['cac:LegalMonetaryTotal/cbc:TaxExclusiveAmount', `${ciiTotals}/ram:TaxBasisTotalAmount`],
  'BT-110': ['cac:TaxTotal/cbc:TaxAmount', `${ciiTotals}/ram:TaxTotalAmount`],
  'BT-112': ['cac:LegalMonetaryTotal/cbc:TaxInclusiveAmount', `${ciiTotals}/ram:GrandTotalAmount`],
  'BT-113': ['cac:LegalMonetaryTotal/cbc:PrepaidAmount', `${ciiTotals}/ram:TotalPrepaidAmount`],
  'BT-115': ['cac:LegalMonetaryTotal/cbc:PayableAmount', `${ciiTotals}/ram:DuePayableAmount`],
  'BT-116': ['cbc:TaxableAmount', 'ram:BasisAmount'],
  'BT-117': ['cbc:TaxAmount', 'ram:CalculatedAmount'],
  'BT-118': ['cac:TaxCategory[cac:TaxScheme/cbc:ID=VAT]/cbc:ID', 'ram:CategoryCode'],
  'BT-119': ['cac:TaxCategory/cbc:Percent', 'ram:RateApplicablePercent'],
  'BT-120': ['cac:TaxCategory/cbc:TaxExemptionReason', 'ram:ExemptionReason'],
  'BT-121': ['cac:TaxCategory/cbc:TaxExemptionReasonCode', 'ram:ExemptionReasonCode'],
  'BT-126': ['cbc:ID', 'ram:AssociatedDocumentLineDocument/ram:LineID'],
  'BT-129': [
    'cbc:InvoicedQuantity|cbc:CreditedQuantity',
    'ram:SpecifiedLineTradeDelivery/ram:BilledQuantity',
  ],
  'BT-130': [
    'cbc:InvoicedQuantity@unitCode|cbc:CreditedQuantity@unitCode',
    'ram:SpecifiedLineTradeDelivery/ram:BilledQuantity@unitCode',
  ],
  'BT-131': [
    'cbc:LineExtensionAmount',
    `${ciiLine}/ram:SpecifiedTradeSettlementLineMonetarySummation/ram:LineTotalAmount`,
  ],
  'BT-134': [
    'cac:InvoicePeriod/cbc:StartDate',
    `${ciiLine}/ram:BillingSpecifiedPeriod/ram:StartDateTime/${ciiDay}`,
  ],
  'BT-135': [
    'cac:InvoicePeriod/cbc:EndDate',
    `${ciiLine}/ram:BillingSpecifiedPeriod/ram:EndDateTime/${ciiDay}`,
  ],
  'BT-146': [
    'cac:Price/cbc:PriceAmount',
    'ram:SpecifiedLineTradeAgreement/ram:NetPriceProductTradePrice/ram:ChargeAmount',
  ],
  'BT-151': [`${ublLineVat}/cbc:ID`, `${ciiLine}/ram:ApplicableTradeTax[ram:TypeCode=VAT]/ram:CategoryCode`],
  'BT-152': [
    `${ublLineVat}/cbc:Percent`,
    `${ciiLine}/ram:ApplicableTradeTax[ram:TypeCode=VAT]/ram:RateApplicablePercent`,
  ],
  'BT-153': ['cac:Item/cbc:Name', 'ram:SpecifiedTradeProduct/ram:Name'],
  'BT-154': ['cac:Item/cbc:Description', 'ram:SpecifiedTradeProduct/ram:Description'],
  // Of a line, an allowance (BT-136 to BT-140) or a charge (BT-141 to BT-145).
  'BT-136': ['cbc:Amount', 'ram:ActualAmount'],
  'BT-139': ['cbc:AllowanceChargeReason', 'ram:Reason'],
  'BT-140': ['cbc:AllowanceChargeReasonCode', 'ram:ReasonCode'],
} satisfies Record<string, [ubl: string, cii: string]>;

export type Term = keyof typeof places;

/** Groups of terms: the VAT breakdown, the lines, and the allowances and the charges of a line. */
const groups = {
  'BG-23': ['cac:TaxTotal/cac:TaxSubtotal', `${ciiPaid}/ram:ApplicableTradeTax`],
  'BG-25': ['cac:InvoiceLine|cac:CreditNoteLine', `${trade}/ram:IncludedSupplyChainTradeLineItem`],
  'BG-27': [
    'cac:AllowanceCharge[cbc:ChargeIndicator=false]',
    `${ciiLine}/ram:SpecifiedTradeAllowanceCharge[ram:ChargeIndicator/udt:Indicator=false]`,
  ],
  'BG-28': [
    'cac:AllowanceCharge[cbc:ChargeIndicator=true]',
    `${ciiLine}/ram:SpecifiedTradeAllowanceCharge[ram:ChargeIndicator/udt:Indicator=true]`,
  ],
} satisfies Record<string, [ubl: string, cii: string]>;

/** The terms of a document, or of one of its groups. */
export class Terms {
  constructor(
    readonly node: XmlNode,
    readonly syntax: Syntax,
  ) {}

  /** Returns the text of a term; null if the document lacks it or it is empty. */
  get(term: Term): string | null {
    return this.list(term)[0] ?? null;
  }

  list(term: Term): string[] {
    return this.#places(places[term])
      .flatMap((place) => {
        const [path, attribute] = splitAttribute(place);
        return findAll(this.node, path).map((each) => (attribute ? each.attributes[attribute] : each.text));
      })
      .filter((text) => text !== undefined && text.trim() !== '') as string[];
  }

  group(name: keyof typeof groups): Terms[] {
    return this.#places(groups[name])
      .flatMap((path) => findAll(this.node, path))
      .map((node) => new Terms(node, this.syntax));
  }

  /** Changes the first place of a term, adds the term, or removes it (null). */
  set(term: Term, value: string | null): void {
    for (const place of this.#places(places[term])) {
      const [path, attribute] = splitAttribute(place);
      const at = path.lastIndexOf('/');
      const name = path.slice(at + 1).replace(/\[.*/, '');
      const parent = findAll(this.node, path.slice(0, Math.max(at, 0)))[0];
      const [found] = findAll(this.node, path);
      if (attribute) {
        if (found && value === null) delete found.attributes[attribute];
        continue;
      }
      if (found && value !== null) found.text = value;
      else if (found) removeNode(this.node, found);
      else if (parent && value !== null)
        parent.children.push({ name, attributes: {}, text: value, children: [] });
    }
  }

  #places([ubl, cii]: [string, string]): string[] {
    return (this.syntax === 'ubl' ? ubl : cii).split('|');
  }
}

const splitAttribute = (place: string): [path: string, attribute: string | undefined] => {
  const match = /^(.*[^[/])@(\w+)$/.exec(place);
  return match ? [match[1]!, match[2]] : [place, undefined];
};

function removeNode(root: XmlNode, node: XmlNode): void {
  root.children = root.children.filter((child) => child !== node);
  for (const child of root.children) removeNode(child, node);
}

/** Reads the terms of a document. */
export function readTerms(xml: string): Terms {
  const root = readXml(xml);
  return new Terms(root, root.name === 'rsm:CrossIndustryInvoice' ? 'cii' : 'ubl');
}

/** Returns the document with a change of its terms, as XML. */
export function mutate(xml: string, change: (terms: Terms) => void): string {
  const terms = readTerms(xml);
  change(terms);
  return writeXml(terms.node);
}
