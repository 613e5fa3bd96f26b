// Finds the official validators of e-invoices in a folder, by the names of their files. None is part of the repository.
import { readdirSync } from 'node:fs';
import path from 'node:path';

/**
 * The validators. `files`: patterns of the paths of their files, the best first; `formats`: whose documents they judge. Those of
 * XSD name the root of each kind of document.
 */
const known = [
  {
    id: 'xsd-ubl',
    name: 'UBL 2.1 (OASIS, XSD)',
    kind: 'xsd',
    files: [/(^|\/)UBL-Invoice-2\.1\.xsd$/],
    formats: ['ubl', 'xrechnung', 'peppol_bis_3', 'ubl_fr'],
    roots: { Invoice: 'UBL-Invoice-2.1.xsd', CreditNote: 'UBL-CreditNote-2.1.xsd' },
  },
  {
    id: 'xsd-cii',
    name: 'CII D16B (UN/CEFACT, XSD)',
    kind: 'xsd',
    files: [/(^|\/)CrossIndustryInvoice_100pD16B\.xsd$/],
    formats: ['cii', 'factur_x', 'xrechnung_cii', 'factur_x_fr'],
    roots: { CrossIndustryInvoice: 'CrossIndustryInvoice_100pD16B.xsd' },
  },
  {
    id: 'xsd-factur-x',
    name: 'Factur-X, profile EN 16931 (FNFE-MPE, XSD)',
    kind: 'xsd',
    files: [/(^|\/)factur-x_(\d[\d.]*_)?en16931\.xsd$/i],
    formats: ['factur_x', 'factur_x_fr'],
    roots: { CrossIndustryInvoice: '' },
  },
  {
    id: 'cen-ubl',
    name: 'EN 16931 for UBL (CEN)',
    kind: 'schematron',
    files: [
      /EN16931\/ubl\/xslt\/EN16931-UBL-validation\.xslt$/,
      /(^|\/)EN16931-UBL-validation[^/]*\.(xslt?|sch)$/,
    ],
    formats: ['ubl', 'xrechnung', 'peppol_bis_3', 'ubl_fr'],
  },
  {
    id: 'cen-cii',
    name: 'EN 16931 for CII (CEN)',
    kind: 'schematron',
    files: [
      /EN16931\/cii\/xslt\/EN16931-CII-validation\.xslt$/,
      /(^|\/)EN16931-CII-validation[^/]*\.(xslt?|sch)$/,
    ],
    formats: ['cii', 'factur_x', 'xrechnung_cii', 'factur_x_fr'],
  },
  {
    id: 'xrechnung-ubl',
    name: 'XRechnung 3.0 for UBL (KoSIT)',
    kind: 'schematron',
    files: [/(^|\/)XRechnung-UBL-validation\.(xslt?|sch)$/],
    formats: ['xrechnung'],
  },
  {
    id: 'xrechnung-cii',
    name: 'XRechnung 3.0 for CII (KoSIT)',
    kind: 'schematron',
    files: [/(^|\/)XRechnung-CII-validation\.(xslt?|sch)$/],
    formats: ['xrechnung_cii'],
  },
  {
    id: 'peppol',
    name: 'Peppol BIS Billing 3.0 (OpenPeppol)',
    kind: 'schematron',
    files: [/(^|\/)PEPPOL-EN16931-UBL\.(xslt?|sch)$/],
    formats: ['peppol_bis_3'],
  },
  {
    id: 'factur-x',
    name: 'Factur-X, profile EN 16931 (FNFE-MPE)',
    kind: 'schematron',
    files: [/(^|\/)factur-x_(\d[\d.]*_)?en16931\.(xslt?|sch)$/i],
    formats: ['factur_x', 'factur_x_fr'],
  },
  {
    id: 'france-cii',
    name: 'France for CII (AFNOR XP Z12-012, Flux 2)',
    kind: 'schematron',
    files: [/(^|\/)[^/]*BR-FR-Flux2-Schematron-CII(?![^/]*WARNING)[^/]*\.(xslt?|sch)$/],
    formats: ['factur_x_fr'],
  },
  {
    id: 'france-ubl',
    name: 'France for UBL (AFNOR XP Z12-012, Flux 2)',
    kind: 'schematron',
    files: [/(^|\/)[^/]*BR-FR-Flux2-Schematron-UBL(?![^/]*WARNING)[^/]*\.(xslt?|sch)$/],
    formats: ['ubl_fr'],
  },
];

/** Compiles Schematron to XSLT; not a validator itself. */
const compiler = /schxslt.*\/2\.0\/pipeline-for-svrl\.xsl$/;

/** Returns the validators of a folder with the path of their file, those that it lacks, and what compiles Schematron. */
export function findValidators(folder) {
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((file) => file.replaceAll('\\', '/'))
    .filter((file) => /\.(xsd|xslt?|sch)$/.test(file) && !file.includes('node_modules/'))
    .toSorted((a, b) => (a < b ? -1 : 1));
  const find = (pattern) => {
    const matching = files.filter((file) => pattern.test(file));
    // What is compiled already is ready at once; of several versions the last one counts.
    return matching.findLast((file) => !file.endsWith('.sch')) ?? matching.at(-1);
  };
  const found = [];
  const lacking = [];
  const schematronCompiler = find(compiler);
  for (const { files: patterns, ...validator } of known) {
    const file = patterns.map(find).find((each) => each !== undefined);
    if (file === undefined) lacking.push({ ...validator, why: 'no such file' });
    else if (file.endsWith('.sch') && !schematronCompiler)
      lacking.push({ ...validator, why: `${file} needs SchXslt (pipeline-for-svrl.xsl) in the folder` });
    else found.push({ ...validator, file, path: path.resolve(folder, file) });
  }
  return { found, lacking, compiler: schematronCompiler && path.resolve(folder, schematronCompiler) };
}
