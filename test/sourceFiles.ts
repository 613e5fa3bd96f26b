import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { parseSync, Visitor, type ESTree } from 'vite';

export interface Import {
  target: string;
  line: number;
}

/** The parts of a source file that tidy.test.ts checks. */
export interface Module {
  file: string;
  imports: Import[];
  undocumented: { name: string; line: number }[];
  /** The lines of `new Date()` and `Date()`. */
  currentDates: number[];
  /** The lines of variables of the module that can be assigned again. */
  moduleVariables: number[];
}

export const root = path.join(import.meta.dirname, '..');

/** The TypeScript files below a folder, as paths from the root of the repository. */
export function filesIn(folder: string): string[] {
  return readdirSync(path.join(root, folder), { withFileTypes: true })
    .filter(({ name }) => name !== 'node_modules')
    .flatMap((child) => {
      const file = `${folder}/${child.name}`;
      if (child.isDirectory()) return filesIn(file);
      return /\.tsx?$/.test(file) ? [file] : [];
    });
}

/** Parses one file. */
export function readModule(file: string): Module {
  const text = readFileSync(path.join(root, file), 'utf8');
  const { program, module, comments, errors } = parseSync(file, text);
  if (errors.length > 0) throw new Error(`${file}: ${errors[0]!.message}`);

  const lineAt = (offset: number) => text.slice(0, offset).split('\n').length;
  const requests = [
    ...module.staticImports.map(({ moduleRequest }) => moduleRequest),
    ...module.staticExports.flatMap(({ entries }) => entries.flatMap((entry) => entry.moduleRequest ?? [])),
    ...module.dynamicImports.map(({ moduleRequest }) => moduleRequest),
  ].map(({ start, end }) => ({ specifier: text.slice(start + 1, end - 1), line: lineAt(start) }));
  const documentedAt = new Set(
    comments
      .filter(({ type, value }) => type === 'Block' && value.startsWith('*'))
      .map(({ end }) => end + /^\s*/.exec(text.slice(end))![0].length),
  );

  return {
    file,
    imports: requests
      .filter(({ specifier }) => specifier.startsWith('.'))
      .map(({ specifier, line }) => ({ target: path.posix.join(path.posix.dirname(file), specifier), line })),
    undocumented: exportedFunctions(program)
      .filter(({ start }) => !documentedAt.has(start))
      .map(({ name, start }) => ({ name, line: lineAt(start) })),
    currentDates: findCurrentDates(program).map(lineAt),
    moduleVariables: findModuleVariables(program).map(lineAt),
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

function findCurrentDates(program: ESTree.Program): number[] {
  const found: number[] = [];
  const check = (node: ESTree.NewExpression | ESTree.CallExpression) => {
    const { callee, start } = node;
    if (callee.type === 'Identifier' && callee.name === 'Date' && node.arguments.length === 0)
      found.push(start);
  };
  new Visitor({ NewExpression: check, CallExpression: check }).visit(program);
  return found;
}

const findModuleVariables = ({ body }: ESTree.Program): number[] =>
  body.flatMap((statement) => {
    const declared = statement.type === 'ExportNamedDeclaration' ? statement.declaration : statement;
    return declared?.type === 'VariableDeclaration' && declared.kind !== 'const' ? declared.start : [];
  });
