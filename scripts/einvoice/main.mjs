// `npm run test:einvoice -- RULES_DIR`: makes invoices and credit notes by the program, and has the official validators in the folder
// judge them. The folder has what CEN, KoSIT, OpenPeppol, FNFE-MPE and others publish; the repository has none of it.
import { existsSync, mkdirSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { load } from '../build/bundle.mjs';
import { readAttachedXml } from './attachment.mjs';
import { runControls } from './controls.mjs';
import { validateBySchema } from './schema.mjs';
import { compileRules, openRules } from './schematron.mjs';
import { findValidators } from './validators.mjs';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    /** About so many files, spread over all documents and formats. */
    documents: { type: 'string' },
    /** Countries of sellers, such as DE,FR, instead of all. */
    sellers: { type: 'string' },
    /** Judges by the validators whose id contains this text only. */
    only: { type: 'string', default: '' },
    /** A folder for the XML of each document. */
    keep: { type: 'string' },
  },
});
const [folder] = positionals;
if (!folder || !existsSync(folder) || !statSync(folder).isDirectory()) {
  console.error('Name a folder with the official validators: npm run test:einvoice -- RULES_DIR');
  process.exit(2);
}

/** Whether some documents are left out, and with them perhaps a format, or what a control would break. */
const isChoice = Boolean(values.documents || values.sellers);

const opened = new Map();

/** Returns what a validator finds in documents, by their names. */
async function judge(validator, documents) {
  if (validator.kind === 'xsd') return validateBySchema(validator, documents);
  if (!opened.has(validator.id))
    opened.set(validator.id, await openRules(compileRules(validator.path, compiler), validator.path));
  const check = opened.get(validator.id);
  return new Map(documents.map(({ name, xml }) => [name, check(xml)]));
}

/** Takes so many of a list, evenly. */
const spread = (list, most) =>
  list.filter(
    (_, nth) => Math.floor(((nth + 1) * most) / list.length) > Math.floor((nth * most) / list.length),
  );

/** Takes so many documents, of each format about the same number. */
function chooseSome(documents, most) {
  const formats = [...new Set(documents.map(({ format }) => format))];
  const share = Math.ceil(most / formats.length);
  return formats.flatMap((format) => {
    const own = documents.filter((each) => each.format === format);
    return own.length <= share ? own : spread(own, share);
  });
}

async function listDocuments() {
  const { makeDocuments } = await load('test/documents/official/makeDocuments.ts');
  const { issued, documents, refusals } = await makeDocuments(values.sellers?.split(','));
  const chosen = values.documents ? chooseSome(documents, Number(values.documents)) : documents;
  const texts = [];
  for (const { name, format, fileName, bytes } of chosen) {
    const xml = fileName.endsWith('.pdf') ? await readAttachedXml(bytes) : bytes.toString('utf8');
    texts.push({ name, format, xml });
    if (values.keep) {
      mkdirSync(values.keep, { recursive: true });
      writeFileSync(path.join(values.keep, `${name}.xml`), xml);
    }
  }
  return { issued, documents: texts, refusals };
}

/** Judges the documents of each format that a validator is for, and its controls. Returns a row for each format. */
async function tryValidator(validator, documents) {
  const own = documents.filter(({ format }) => validator.formats.includes(format));
  if (own.length === 0) return [];
  const findings = await judge(validator, own);
  const control = await runControls(validator, own, judge);
  for (const text of control.passed) report(`${validator.name}: a control passed that must fail: ${text}`);
  if (!isChoice)
    for (const text of control.untried) report(`${validator.name}: no document for the control ${text}`);
  return validator.formats.flatMap((format) => {
    const judged = own.filter((each) => each.format === format);
    if (judged.length === 0) {
      if (!isChoice) report(`${validator.name}: there is no document as ${format}`);
      return [];
    }
    const fatal = judged.filter(({ name }) => findings.get(name).some(({ isFatal }) => isFatal));
    for (const { name } of fatal)
      for (const { rule, isFatal, text } of findings.get(name))
        if (isFatal) report(`${name}: ${rule}: ${text.slice(0, 300)}`);
    const warned = judged.flatMap(({ name }) => findings.get(name).filter(({ isFatal }) => !isFatal));
    return [
      {
        validator: validator.name,
        format,
        documents: judged.length,
        passed: judged.length - fatal.length,
        warnings: warned.length,
        rules: [...new Set(warned.map(({ rule }) => rule))].join(' '),
        controls: `${control.failed.length} failed of ${control.failed.length + control.passed.length}`,
      },
    ];
  });
}

function report(text) {
  console.error(`✗ ${text}`);
  process.exitCode = 1;
}

const { found, lacking, compiler } = findValidators(folder);
const chosen = found.filter(({ id }) => id.includes(values.only));
for (const { name, file } of chosen) console.log(`Found ${name}: ${file}`);
for (const { name, why } of lacking) console.log(`Not found: ${name} (${why}). Nothing is known about it.`);
if (chosen.length === 0) {
  console.error(`There is no validator in ${folder}.`);
  process.exit(2);
}
const { issued, documents, refusals } = await listDocuments();
console.log(`${issued} invoices and credit notes make ${documents.length} files.`);
const counts = new Map();
for (const { format, paths } of refusals) {
  const text = `${format}: ${paths.join(', ')}`;
  counts.set(text, (counts.get(text) ?? 0) + 1);
}
for (const [text, count] of counts) console.log(`Refused: ${count} × ${text}`);
const rows = [];
for (const validator of chosen) {
  const begunAt = performance.now();
  rows.push(...(await tryValidator(validator, documents)));
  console.log(`${validator.name}: ${Math.round((performance.now() - begunAt) / 1000)} s`);
}
console.table(rows);
console.log(
  process.exitCode ? 'Some documents or controls failed.' : 'All documents passed, and all controls failed.',
);
process.exit();
