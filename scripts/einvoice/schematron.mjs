// Runs Schematron rules over documents, by Saxon: compiled once, and kept in node_modules/.cache by their content.
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { root } from '../setup.mjs';

const require = createRequire(import.meta.url);
const cache = path.join(root, 'node_modules/.cache/einvoice');

const runXslt = (...args) =>
  execFileSync(process.execPath, [require.resolve('xslt3/xslt3.js'), ...args], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });

const compareText = (a, b) => (a < b ? -1 : 1);

/** Names a compiled file by its source, whose path is inside, and by what lies beside it, which it may include. */
function findCached(source) {
  const folder = path.dirname(source);
  const hash = createHash('sha256').update(source);
  const beside = [folder, path.dirname(folder)].flatMap((each) =>
    readdirSync(each, { withFileTypes: true })
      .filter((entry) => entry.isFile() && /\.(sch|xslt?)$/.test(entry.name))
      .map(({ name }) => path.join(each, name)),
  );
  for (const file of beside.toSorted(compareText)) hash.update(readFileSync(file));
  const name = path.basename(source).replace(/\.[a-z]+$/, '');
  return path.join(cache, `${name}-${hash.digest('hex').slice(0, 16)}.sef.json`);
}

/** Writes a file by a step that takes its path, unless it is there. An interrupted step leaves none. */
function make(file, step) {
  if (existsSync(file)) return file;
  mkdirSync(cache, { recursive: true });
  step(`${file}.part`);
  renameSync(`${file}.part`, file);
  return file;
}

/** Returns the compiled rules of a file of Schematron or XSLT. */
export function compileRules(source, compiler) {
  return make(findCached(source), (to) => {
    if (!source.endsWith('.sch')) {
      compileXslt(source, to);
      return;
    }
    const pipeline = compileRules(compiler);
    const xslt = `${to}.xsl`;
    runXslt(`-xsl:${pipeline}`, `-s:${source}`, `-o:${xslt}`);
    compileXslt(xslt, to);
    rmSync(xslt);
  });
}

const compileXslt = (source, to) => runXslt(`-xsl:${source}`, `-export:${to}`, '-nogo', '-relocate:off');

const finding = /<svrl:(failed-assert|successful-report)\b([^>]*)>([\s\S]*?)<\/svrl:\1>/g;
const readAttribute = (attributes, name) => new RegExp(`\\s${name}="([^"]*)"`).exec(attributes)?.[1];

/**
 * Opens compiled rules. They return what a document breaks: the rule, whether it is fatal, which it is unless the rule says
 * otherwise, and the text.
 */
export async function openRules(compiled, source) {
  const { default: SaxonJS } = await import('saxon-js');
  const stylesheetInternal = JSON.parse(readFileSync(compiled, 'utf8'));
  return (xml) => {
    const { principalResult } = SaxonJS.transform(
      {
        stylesheetInternal,
        stylesheetBaseURI: `file://${source}`,
        sourceText: xml,
        destination: 'serialized',
      },
      'sync',
    );
    return [...principalResult.matchAll(finding)].map(([, , attributes, content]) => {
      const weight = (
        readAttribute(attributes, 'flag') ??
        readAttribute(attributes, 'role') ??
        'fatal'
      ).toLowerCase();
      const text = /<svrl:text[^>]*>([\s\S]*?)<\/svrl:text>/.exec(content)?.[1] ?? '';
      const rule = readAttribute(attributes, 'id') ?? /\[([A-Z][\w-]+)\]/.exec(text)?.[1] ?? '?';
      return {
        rule,
        isFatal: !/^(warning|warn|information|info)$/.test(weight),
        text: text.replaceAll(/\s+/g, ' ').trim(),
      };
    });
  };
}
