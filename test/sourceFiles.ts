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
  /** The state of the module: its variables that can be assigned again, and its objects that its functions change. */
  state: { name: string; line: number; isWeakMap: boolean }[];
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
    state: findModuleState(program).map(({ start, ...found }) => ({ ...found, line: lineAt(start) })),
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

const changingMethods =
  /^(set|add|delete|clear|push|pop|shift|unshift|splice|sort|reverse|fill|copyWithin|assign|defineProperty)$/;

/** A variable of a module that can be assigned again, or whose object the module changes. */
interface ModuleState {
  name: string;
  start: number;
  isWeakMap: boolean;
}

function findModuleState(program: ESTree.Program): ModuleState[] {
  const changed = findChanged(program);
  return program.body.flatMap((statement): ModuleState[] => {
    const declared = statement.type === 'ExportNamedDeclaration' ? statement.declaration : statement;
    if (declared?.type !== 'VariableDeclaration') return [];
    return declared.declarations.flatMap(({ id, init }): ModuleState[] => {
      const name = id.type === 'Identifier' ? id.name : '';
      if (declared.kind === 'const' && !changed.has(name)) return [];
      const isWeakMap =
        init?.type === 'NewExpression' && init.callee.type === 'Identifier' && init.callee.name === 'WeakMap';
      return [{ name, start: declared.start, isWeakMap }];
    });
  });
}

/** Returns the names of the objects that a program changes: `x.y = 1`, `x[y]++`, `delete x.y`, `x.push(y)`, `Object.assign(x, y)`. */
function findChanged(program: ESTree.Program): Set<string> {
  const changed = new Set<string>();
  const addOwner = (node: ESTree.Node) => {
    if (node.type !== 'MemberExpression') return;
    if (node.object.type === 'Identifier') changed.add(node.object.name);
    else addOwner(node.object);
  };
  new Visitor({
    AssignmentExpression: ({ left }) => addOwner(left),
    UpdateExpression: ({ argument }) => addOwner(argument),
    UnaryExpression: ({ operator, argument }) => {
      if (operator === 'delete') addOwner(argument);
    },
    CallExpression: ({ callee, arguments: [first] }) => {
      if (callee.type !== 'MemberExpression' || callee.property.type !== 'Identifier') return;
      if (!changingMethods.test(callee.property.name)) return;
      addOwner(callee);
      const isOfObject = callee.object.type === 'Identifier' && callee.object.name === 'Object';
      if (isOfObject && first?.type === 'Identifier') changed.add(first.name);
    },
  }).visit(program);
  return changed;
}
