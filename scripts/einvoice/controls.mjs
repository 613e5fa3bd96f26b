// Documents that must fail: each validator gets some that break one rule, so that a validator that finds nothing is found out.

/** Removes the first element of a name and its content. */
const without = (name) => (xml) =>
  xml.replace(new RegExp(`\\s*<${name}(\\s[^>]*)?>[\\s\\S]*?</${name}>`), '');
const replace = (from, to) => (xml) => xml.replace(from, to);
/** Removes the electronic address of the seller, or of the buyer. */
const withoutAddress = (party) =>
  replace(new RegExp(`(<cac:${party}>\\s*<cac:Party>)\\s*<cbc:EndpointID[^>]*>[^<]*</cbc:EndpointID>`), '$1');

/** The breaks of each validator: what is changed, and the rule that must find it. `seller` limits them to one country. */
export const controls = {
  'xsd-ubl': [
    { rule: 'XSD', change: replace(/<cbc:IssueDate>[^<]*</, '<cbc:IssueDate>yesterday<') },
    { rule: 'XSD', change: replace('<cac:PaymentTerms>', '<cac:Surprise/><cac:PaymentTerms>') },
  ],
  'xsd-cii': [
    { rule: 'XSD', change: replace('<ram:BuyerTradeParty>', '<ram:Surprise/><ram:BuyerTradeParty>') },
    { rule: 'XSD', change: without('ram:ApplicableHeaderTradeSettlement') },
  ],
  'xsd-factur-x': [{ rule: 'XSD', change: without('ram:ApplicableHeaderTradeSettlement') }],
  'cen-ubl': [
    { rule: 'BR-CO-15', change: replace(/(<cbc:TaxInclusiveAmount[^>]*>)[^<]*</, '$1999999.99<') },
    { rule: 'BR-06', change: without('cbc:RegistrationName') },
  ],
  'cen-cii': [
    { rule: 'BR-CO-15', change: replace(/(<ram:GrandTotalAmount>)[^<]*</, '$1999999.99<') },
    { rule: 'BR-02', change: replace(/(<rsm:ExchangedDocument>\s*)<ram:ID>[^<]*<\/ram:ID>/, '$1') },
  ],
  'xrechnung-ubl': [
    { rule: 'BR-DE-15', change: without('cbc:BuyerReference') },
    { rule: 'BR-DE-7', change: without('cbc:ElectronicMail') },
  ],
  'xrechnung-cii': [
    { rule: 'BR-DE-15', change: without('ram:BuyerReference') },
    { rule: 'BR-DE-7', change: without('ram:EmailURIUniversalCommunication') },
  ],
  peppol: [
    { rule: 'PEPPOL-EN16931-R020', change: withoutAddress('AccountingSupplierParty') },
    { rule: 'PEPPOL-EN16931-R010', change: withoutAddress('AccountingCustomerParty') },
    {
      rule: 'DK-R-014',
      seller: 'DK',
      change: replace(
        'schemeID="0184">DK12345674</cbc:CompanyID>',
        'schemeID="0088">5700000000011</cbc:CompanyID>',
      ),
    },
    {
      rule: 'NL-R-003',
      seller: 'NL',
      change: replace(
        'schemeID="0106">12345678</cbc:CompanyID>',
        'schemeID="0088">5700000000011</cbc:CompanyID>',
      ),
    },
    { rule: 'IT-R-002', seller: 'IT', change: without('cbc:StreetName') },
    {
      rule: 'SE-R-013',
      seller: 'SE',
      change: replace('>5566778899</cbc:CompanyID>', '>5566778898</cbc:CompanyID>'),
    },
    { rule: 'NO-R-001', seller: 'NO', change: replace('>NO974760673MVA<', '>NO974760673<') },
  ],
  'factur-x': [{ rule: /./, change: without('ram:GrandTotalAmount') }],
  'france-cii': [
    { rule: 'BR-FR-05_BT-22_PMT', change: replace('>PMT<', '>REG<') },
    { rule: 'BR-FR-10_BT-30', change: replace(/schemeID="0002">\d+</, 'schemeID="0002">12<') },
    { rule: 'BR-FR-08_BT-23', change: replace(/>S[12]</, '>X9<') },
  ],
  'france-ubl': [
    { rule: 'BR-FR-05_BT-22-1', change: replace('#PMT#', '#REG#') },
    { rule: 'BR-FR-10_BT-30', change: replace(/schemeID="0002">\d+</, 'schemeID="0002">12<') },
  ],
};

/**
 * Tries the controls of a validator on documents. `judge` returns what a validator finds in texts by their names. Returns the
 * rules that failed as they must, those that did not, and those for which there is no document.
 */
export async function runControls(validator, documents, judge) {
  const trials = (controls[validator.id] ?? []).map(({ rule, seller, change }, nth) => {
    const changed = documents
      .filter(({ name }) => !seller || name.startsWith(`${seller}-`))
      .map(({ xml }) => ({ before: xml, xml: change(xml) }))
      .find(({ before, xml }) => xml !== before);
    return { name: `control-${nth}`, rule, xml: changed?.xml };
  });
  const tried = trials.filter(({ xml }) => xml !== undefined);
  const findings = await judge(validator, tried);
  const isFound = ({ name, rule }) =>
    findings
      .get(name)
      .some((each) => each.isFatal && (rule instanceof RegExp ? rule.test(each.rule) : each.rule === rule));
  return {
    failed: tried.filter(isFound).map(({ rule }) => String(rule)),
    passed: tried
      .filter((each) => !isFound(each))
      .map(
        ({ name, rule }) =>
          `${rule}, found ${
            findings
              .get(name)
              .map((each) => each.rule)
              .join(' ') || 'nothing'
          }`,
      ),
    untried: trials.filter(({ xml }) => xml === undefined).map(({ rule }) => String(rule)),
  };
}
