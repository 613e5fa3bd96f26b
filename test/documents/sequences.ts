/** The order of elements in the schemas of UBL 2.1 and CII D16B, as far as EN 16931 uses them. */
import type { XmlNode } from './xmlTree.ts';

const cbc = (names: string) => names.split(' ').map((name) => `cbc:${name}`);
const cac = (names: string) => names.split(' ').map((name) => `cac:${name}`);
const ram = (names: string) => names.split(' ').map((name) => `ram:${name}`);

const ublReferences = cac(
  'DespatchDocumentReference ReceiptDocumentReference ContractDocumentReference AdditionalDocumentReference',
);
const ublParties = cac('AccountingSupplierParty AccountingCustomerParty PayeeParty TaxRepresentativeParty');
const ublAmounts = cac('Delivery PaymentMeans PaymentTerms AllowanceCharge TaxTotal LegalMonetaryTotal');
const ublAddress = [
  ...cbc('StreetName AdditionalStreetName CityName PostalZone CountrySubentity'),
  ...cac('AddressLine Country'),
];
const ublTaxCategory = [...cbc('ID Name Percent TaxExemptionReasonCode TaxExemptionReason'), 'cac:TaxScheme'];
const ublLine = (name: string, type: string): Record<string, string[]> => ({
  [`cac:${name}Line`]: [
    ...cbc(`ID Note ${type}Quantity LineExtensionAmount AccountingCost`),
    ...cac('InvoicePeriod OrderLineReference DocumentReference AllowanceCharge Item Price'),
  ],
});

/** The children of an element, in their order. */
const sequences: Record<string, string[]> = {
  Invoice: [
    ...cbc('CustomizationID ProfileID ID IssueDate DueDate InvoiceTypeCode Note TaxPointDate'),
    ...cbc('DocumentCurrencyCode TaxCurrencyCode AccountingCost BuyerReference'),
    ...cac('InvoicePeriod OrderReference BillingReference'),
    ...ublReferences,
    ...ublParties,
    ...ublAmounts,
    'cac:InvoiceLine',
  ],
  CreditNote: [
    ...cbc('CustomizationID ProfileID ID IssueDate TaxPointDate CreditNoteTypeCode Note'),
    ...cbc('DocumentCurrencyCode TaxCurrencyCode AccountingCost BuyerReference'),
    ...cac('InvoicePeriod OrderReference BillingReference'),
    ...ublReferences,
    ...ublParties,
    ...ublAmounts,
    'cac:CreditNoteLine',
  ],
  'cac:InvoicePeriod': cbc('StartDate EndDate DescriptionCode'),
  'cac:BillingReference': ['cac:InvoiceDocumentReference'],
  'cac:OrderReference': cbc('ID SalesOrderID'),
  'cac:InvoiceDocumentReference': cbc('ID IssueDate'),
  'cac:AccountingSupplierParty': ['cac:Party'],
  'cac:AccountingCustomerParty': ['cac:Party'],
  'cac:Party': [
    'cbc:EndpointID',
    ...cac('PartyIdentification PartyName PostalAddress PartyTaxScheme PartyLegalEntity Contact'),
  ],
  'cac:PartyIdentification': ['cbc:ID'],
  'cac:PostalAddress': ublAddress,
  'cac:Address': ublAddress,
  'cac:Country': ['cbc:IdentificationCode'],
  'cac:PartyTaxScheme': ['cbc:CompanyID', 'cac:TaxScheme'],
  'cac:TaxScheme': ['cbc:ID'],
  'cac:PartyLegalEntity': cbc('RegistrationName CompanyID CompanyLegalForm'),
  'cac:Contact': cbc('Name Telephone ElectronicMail'),
  'cac:Delivery': ['cbc:ActualDeliveryDate', ...cac('DeliveryLocation DeliveryParty')],
  'cac:DeliveryLocation': ['cbc:ID', 'cac:Address'],
  'cac:PaymentMeans': [
    ...cbc('PaymentMeansCode PaymentDueDate PaymentID'),
    ...cac('CardAccount PayeeFinancialAccount'),
  ],
  'cac:CardAccount': cbc('PrimaryAccountNumberID NetworkID HolderName'),
  'cac:PayeeFinancialAccount': [...cbc('ID Name'), 'cac:FinancialInstitutionBranch'],
  'cac:FinancialInstitutionBranch': ['cbc:ID'],
  'cac:PaymentTerms': ['cbc:Note'],
  'cac:TaxTotal': ['cbc:TaxAmount', 'cac:TaxSubtotal'],
  'cac:TaxSubtotal': [...cbc('TaxableAmount TaxAmount'), 'cac:TaxCategory'],
  'cac:TaxCategory': ublTaxCategory,
  'cac:ClassifiedTaxCategory': ublTaxCategory,
  'cac:LegalMonetaryTotal': cbc(
    'LineExtensionAmount TaxExclusiveAmount TaxInclusiveAmount AllowanceTotalAmount ChargeTotalAmount PrepaidAmount PayableRoundingAmount PayableAmount',
  ),
  ...ublLine('Invoice', 'Invoiced'),
  ...ublLine('CreditNote', 'Credited'),
  'cac:AllowanceCharge': cbc(
    'ChargeIndicator AllowanceChargeReasonCode AllowanceChargeReason MultiplierFactorNumeric Amount BaseAmount',
  ),
  'cac:Item': [...cbc('Description Name'), ...cac('SellersItemIdentification ClassifiedTaxCategory')],
  'cac:Price': [...cbc('PriceAmount BaseQuantity'), 'cac:AllowanceCharge'],

  'rsm:CrossIndustryInvoice': [
    'rsm:ExchangedDocumentContext',
    'rsm:ExchangedDocument',
    'rsm:SupplyChainTradeTransaction',
  ],
  'rsm:ExchangedDocumentContext': ram(
    'BusinessProcessSpecifiedDocumentContextParameter GuidelineSpecifiedDocumentContextParameter',
  ),
  'ram:BusinessProcessSpecifiedDocumentContextParameter': ['ram:ID'],
  'ram:GuidelineSpecifiedDocumentContextParameter': ['ram:ID'],
  'rsm:ExchangedDocument': ram('ID Name TypeCode IssueDateTime LanguageID IncludedNote'),
  'ram:IncludedNote': ram('Content SubjectCode'),
  'rsm:SupplyChainTradeTransaction': ram(
    'IncludedSupplyChainTradeLineItem ApplicableHeaderTradeAgreement ApplicableHeaderTradeDelivery ApplicableHeaderTradeSettlement',
  ),
  'ram:IncludedSupplyChainTradeLineItem': ram(
    'AssociatedDocumentLineDocument SpecifiedTradeProduct SpecifiedLineTradeAgreement SpecifiedLineTradeDelivery SpecifiedLineTradeSettlement',
  ),
  'ram:AssociatedDocumentLineDocument': ram('LineID IncludedNote'),
  'ram:SpecifiedTradeProduct': ram('GlobalID SellerAssignedID BuyerAssignedID Name Description'),
  'ram:SpecifiedLineTradeAgreement': ram(
    'BuyerOrderReferencedDocument GrossPriceProductTradePrice NetPriceProductTradePrice',
  ),
  'ram:NetPriceProductTradePrice': ram('ChargeAmount BasisQuantity'),
  'ram:SpecifiedLineTradeDelivery': ['ram:BilledQuantity'],
  'ram:SpecifiedLineTradeSettlement': ram(
    'ApplicableTradeTax BillingSpecifiedPeriod SpecifiedTradeAllowanceCharge SpecifiedTradeSettlementLineMonetarySummation',
  ),
  'ram:SpecifiedTradeAllowanceCharge': ram(
    'ChargeIndicator CalculationPercent BasisAmount ActualAmount ReasonCode Reason CategoryTradeTax',
  ),
  'ram:ChargeIndicator': ['udt:Indicator'],
  'ram:SpecifiedTradeSettlementLineMonetarySummation': ['ram:LineTotalAmount'],
  'ram:ApplicableHeaderTradeAgreement': ram(
    'BuyerReference SellerTradeParty BuyerTradeParty SellerTaxRepresentativeTradeParty SellerOrderReferencedDocument BuyerOrderReferencedDocument',
  ),
  'ram:SellerTradeParty': ram(
    'ID GlobalID Name Description SpecifiedLegalOrganization DefinedTradeContact PostalTradeAddress URIUniversalCommunication SpecifiedTaxRegistration',
  ),
  'ram:BuyerTradeParty': ram(
    'ID GlobalID Name SpecifiedLegalOrganization DefinedTradeContact PostalTradeAddress URIUniversalCommunication SpecifiedTaxRegistration',
  ),
  'ram:SpecifiedLegalOrganization': ram('ID TradingBusinessName'),
  'ram:BuyerOrderReferencedDocument': ['ram:IssuerAssignedID'],
  'ram:DefinedTradeContact': ram(
    'PersonName DepartmentName TelephoneUniversalCommunication EmailURIUniversalCommunication',
  ),
  'ram:TelephoneUniversalCommunication': ['ram:CompleteNumber'],
  'ram:EmailURIUniversalCommunication': ['ram:URIID'],
  'ram:PostalTradeAddress': ram(
    'PostcodeCode LineOne LineTwo LineThree CityName CountryID CountrySubDivisionName',
  ),
  'ram:URIUniversalCommunication': ['ram:URIID'],
  'ram:SpecifiedTaxRegistration': ['ram:ID'],
  'ram:ApplicableHeaderTradeDelivery': ram('ShipToTradeParty ActualDeliverySupplyChainEvent'),
  'ram:ShipToTradeParty': ram('ID Name PostalTradeAddress'),
  'ram:ActualDeliverySupplyChainEvent': ['ram:OccurrenceDateTime'],
  'ram:ApplicableHeaderTradeSettlement': ram(
    'CreditorReferenceID PaymentReference TaxCurrencyCode InvoiceCurrencyCode PayeeTradeParty SpecifiedTradeSettlementPaymentMeans ApplicableTradeTax BillingSpecifiedPeriod SpecifiedTradeAllowanceCharge SpecifiedTradePaymentTerms SpecifiedTradeSettlementHeaderMonetarySummation InvoiceReferencedDocument',
  ),
  'ram:ApplicableTradeSettlementFinancialCard': ram('ID CardholderName'),
  'ram:SpecifiedTradeSettlementPaymentMeans': ram(
    'TypeCode Information ApplicableTradeSettlementFinancialCard PayerPartyDebtorFinancialAccount PayeePartyCreditorFinancialAccount PayeeSpecifiedCreditorFinancialInstitution',
  ),
  'ram:PayeePartyCreditorFinancialAccount': ram('IBANID AccountName ProprietaryID'),
  'ram:PayeeSpecifiedCreditorFinancialInstitution': ['ram:BICID'],
  'ram:ApplicableTradeTax': ram(
    'CalculatedAmount TypeCode ExemptionReason BasisAmount CategoryCode ExemptionReasonCode DueDateTypeCode RateApplicablePercent',
  ),
  'ram:BillingSpecifiedPeriod': ram('StartDateTime EndDateTime'),
  'ram:SpecifiedTradePaymentTerms': ram('Description DueDateDateTime DirectDebitMandateID'),
  'ram:SpecifiedTradeSettlementHeaderMonetarySummation': ram(
    'LineTotalAmount ChargeTotalAmount AllowanceTotalAmount TaxBasisTotalAmount TaxTotalAmount RoundingAmount GrandTotalAmount TotalPrepaidAmount DuePayableAmount',
  ),
  'ram:InvoiceReferencedDocument': ram('IssuerAssignedID FormattedIssueDateTime'),
  'ram:FormattedIssueDateTime': ['qdt:DateTimeString'],
  ...Object.fromEntries(
    ram('IssueDateTime StartDateTime EndDateTime OccurrenceDateTime DueDateDateTime').map((name) => [
      name,
      ['udt:DateTimeString'],
    ]),
  ),
};

/** Returns the elements that the schema does not have there, or not in this order, and those that are empty. */
export function listMisplaced({ name, children, text }: XmlNode): string[] {
  if (children.length === 0 && name !== 'ram:ApplicableHeaderTradeDelivery') {
    return text.trim() === '' || sequences[name] ? [`${name} is empty`] : [];
  }
  const order = sequences[name] ?? [];
  const positions = children.map((child) => order.indexOf(child.name));
  const misplaced = children.filter(
    (_, index) => positions[index] === -1 || positions[index]! < Math.max(-1, ...positions.slice(0, index)),
  );
  return [...misplaced.map((child) => `${name}/${child.name}`), ...children.flatMap(listMisplaced)];
}
