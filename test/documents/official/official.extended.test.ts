/** `npm run test:einvoice` with small validators of our own: what it prints, and when it fails. */
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'rules-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

/** A validator in XSLT with a test for each rule, in the language XPath; true breaks the rule. */
function writeRules(rules: Record<string, string>, flag = 'fatal'): void {
  const asserts = Object.entries(rules).map(
    ([id, test]) =>
      `<xsl:if test="${test}"><svrl:failed-assert id="${id}" flag="${flag}"><svrl:text>broken</svrl:text></svrl:failed-assert></xsl:if>`,
  );
  mkdirSync(path.join(folder, 'ubl'));
  writeFileSync(
    path.join(folder, 'ubl/EN16931-UBL-validation.xslt'),
    `<xsl:stylesheet version="2.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform" xmlns:svrl="http://purl.oclc.org/dsdl/svrl">
      <xsl:template match="/"><svrl:schematron-output>${asserts.join('')}</svrl:schematron-output></xsl:template>
    </xsl:stylesheet>`,
  );
}

const run = (...args: string[]) => {
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    ['scripts/einvoice/main.mjs', folder, '--sellers', 'BE', '--documents', '20', ...args],
    { encoding: 'utf8', env: { ...process.env, NO_COLOR: '1' } },
  );
  return { status, text: stdout + stderr };
};

/** What the controls of the validator break. */
const finding = {
  'BR-CO-15': "//*[local-name() = 'TaxInclusiveAmount'] = '999999.99'",
  'BR-06': "not((//*[local-name() = 'AccountingSupplierParty'])[1]//*[local-name() = 'RegistrationName'])",
};

it('passes if all documents pass and all controls fail, and names what it did not find', () => {
  writeRules(finding);
  const { status, text } = run();
  expect(text).toContain('All documents passed, and all controls failed.');
  expect(text).toContain('Found EN 16931 for UBL (CEN): ubl/EN16931-UBL-validation.xslt');
  expect(text).toContain('Not found: XRechnung 3.0 for UBL (KoSIT)');
  expect(text).toContain('Not found: France for CII (AFNOR XP Z12-012, Flux 2)');
  expect(text).toMatch(/'EN 16931 for UBL \(CEN\)'\s*│ 'peppol_bis_3'\s*│ (\d+)\s*│ \1\s/);
  expect(status).toBe(0);
});

it('fails if a validator finds nothing', () => {
  writeRules({});
  const { status, text } = run();
  expect(text).toContain('a control passed that must fail: BR-CO-15, found nothing');
  expect(status).toBe(1);
});

it('fails if a document breaks a fatal rule, and not for a warning', () => {
  writeRules({ ...finding, 'BR-99': "//*[local-name() = 'IssueDate']" });
  const { status, text } = run();
  expect(text).toMatch(/✗ BE-[\w-]+: BR-99: broken/);
  expect(status).toBe(1);
});

it('counts warnings', () => {
  writeRules({ 'BR-99': "//*[local-name() = 'IssueDate']" }, 'warning');
  const { status, text } = run();
  expect(text).not.toContain('✗ BE-');
  expect(text).toContain("'BR-99'");
  // Its controls find no fatal rule.
  expect(status).toBe(1);
});

it('fails without a validator', () => {
  const { status, text } = run();
  expect(text).toContain(`There is no validator in ${folder}.`);
  expect(status).toBe(2);
});
