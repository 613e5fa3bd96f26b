import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { parseSync, Visitor, type ESTree } from 'vite';

export interface Import {
  target: string;
  names: string[];
  line: number;
}

/** What tidy.test.ts wants to know of a source file. */
export interface Module {
  file: string;
  text: string;
  lines: number;
  imports: Import[];
  exports: { name: string; line: number }[];
  onlyReexports: boolean;
  functions: { line: number; lines: number }[];
  undocumented: { name: string; line: number }[];
  uses: { use: string; line: number }[];
}

export const root = path.join(import.meta.dirname, '..');

/** The TypeScript files below a folder, as paths from the root of the repository. */
export function filesIn(folder: string): string[] {
  return readdirSync(path.join(root, folder), { withFileTypes: true })
    .filter(({ name }) => name !== 'node_modules')
    .flatMap((child) => {
      const file = `${folder}/${child.name}`;
      if (child.isDirectory()) return filesIn(file);
      return file.endsWith('.ts') ? [file] : [];
    });
}

/** Parses one file. */
export function readModule(file: string): Module {
  const text = readFileSync(path.join(root, file), 'utf8');
  const { program, module, comments, errors } = parseSync(file, text);
  if (errors.length > 0) throw new Error(`${file}: ${errors[0]!.message}`);

  const lineAt = (offset: number) => text.slice(0, offset).split('\n').length;
  const resolve = (specifier: string) => path.posix.join(path.posix.dirname(file), specifier);
  const ofRepository = (specifier: string) => specifier.startsWith('.');
  const nameOf = ({ kind, name }: { kind: string; name: string | null }) =>
    name ?? (kind === 'Default' ? 'default' : '*');

  const imports: Import[] = [
    ...module.staticImports.map(({ start, moduleRequest, entries: names }) => ({
      target: moduleRequest.value,
      names: names.map(({ importName }) => nameOf(importName)),
      line: lineAt(start),
    })),
    ...module.staticExports.flatMap(({ start, entries: names }) =>
      names
        .filter(({ moduleRequest }) => moduleRequest)
        .map(({ moduleRequest, importName }) => ({
          target: moduleRequest!.value,
          names: [nameOf(importName)],
          line: lineAt(start),
        })),
    ),
    ...module.dynamicImports.map(({ start, moduleRequest }) => ({
      target: text.slice(moduleRequest.start + 1, moduleRequest.end - 1),
      names: ['*'],
      line: lineAt(start),
    })),
  ];
  const exported = module.staticExports.flatMap(({ entries: names }) =>
    names.map(({ exportName, start }) => ({ name: nameOf(exportName), line: lineAt(start) })),
  );
  const documentedAt = new Set(
    comments
      .filter(({ type, value }) => type === 'Block' && value.startsWith('*'))
      .map(({ end }) => end + /^\s*/.exec(text.slice(end))![0].length),
  );
  const reexports = (statement: ESTree.Node) =>
    statement.type === 'ExportAllDeclaration' ||
    (statement.type === 'ExportNamedDeclaration' && !statement.declaration) ||
    statement.type === 'ImportDeclaration';

  return {
    file,
    text,
    lines: text.trimEnd().split('\n').length,
    imports: imports
      .filter(({ target }) => ofRepository(target))
      .map((found) => ({ ...found, target: resolve(found.target) })),
    exports: exported,
    onlyReexports: exported.length > 0 && program.body.every(reexports),
    undocumented: exportedFunctions(program)
      .filter(({ start }) => !documentedAt.has(start))
      .map(({ name, start }) => ({ name, line: lineAt(start) })),
    ...walk(program, text, lineAt),
  };
}

/** Exported functions, declared or assigned; of overloads the first, which carries the comment. */
function exportedFunctions(program: ESTree.Program): { name: string; start: number }[] {
  const found = new Map<string, number>();
  const add = (name: string, start: number) => found.has(name) || found.set(name, start);
  for (const statement of program.body) {
    if (statement.type !== 'ExportNamedDeclaration' && statement.type !== 'ExportDefaultDeclaration')
      continue;
    const { declaration, start } = statement;
    if (declaration?.type === 'FunctionDeclaration' || declaration?.type === 'TSDeclareFunction') {
      add(declaration.id?.name ?? 'default', start);
    } else if (declaration?.type === 'VariableDeclaration') {
      for (const { id, init } of declaration.declarations) {
        const isFunction = init?.type === 'ArrowFunctionExpression' || init?.type === 'FunctionExpression';
        if (isFunction && id.type === 'Identifier') add(id.name, start);
      }
    }
  }
  return [...found].map(([name, start]) => ({ name, start }));
}

/** The functions of a file with their lengths, and the dotted names and dates it uses. */
function walk(program: ESTree.Program, text: string, lineAt: (offset: number) => number) {
  const functions: Module['functions'] = [];
  const uses: Module['uses'] = [];
  const measure = ({ start, end }: { start: number; end: number }) =>
    functions.push({ line: lineAt(start), lines: lineAt(end) - lineAt(start) + 1 });
  const use = ({ start, end }: { start: number; end: number }) =>
    uses.push({ use: text.slice(start, end), line: lineAt(start) });
  new Visitor({
    FunctionDeclaration: measure,
    FunctionExpression: measure,
    ArrowFunctionExpression: measure,
    MemberExpression: use,
    NewExpression: (node) => node.arguments.length === 0 && use(node),
    CallExpression: (node) => node.arguments.length === 0 && use(node),
    ImportDeclaration: ({ source, start }) =>
      /^(node:)?process$/.test(source.value) && uses.push({ use: 'process', line: lineAt(start) }),
  }).visit(program);
  return { functions, uses };
}
