import {
  GraphQLError,
  Kind,
  type ASTVisitor,
  type FragmentDefinitionNode,
  type SelectionSetNode,
  type ValidationContext,
  type ValidationRule,
} from 'graphql';
import { maxIssues } from '../../lib/errors.ts';
import { ListLengthRule } from './inputSizes.ts';
import { isStorable } from '../../lib/storableText.ts';

const depthLimit = 16;
const fieldLimit = 2000;
const rootFieldLimit = 100;
const aliasLimit = 200;
const directiveLimit = 200;

/** The maximum number of tokens of a document; parsing stops there. */
export const tokenLimit = 4000;

/** The maximum number of lines of a document. Formatting an error counts the lines before each of its locations. */
const mostLines = 5000;

/** Returns the problem with the text of a document before parsing, or undefined. */
export function findTextProblem(text: string): string | undefined {
  let lines = 1;
  for (let index = 0; index < text.length; index++) {
    const unit = text.charCodeAt(index);
    if ((unit === lineFeed || unit === carriageReturn) && ++lines > mostLines)
      return `must have at most ${mostLines} lines`;
  }
  return undefined;
}

const [lineFeed, carriageReturn] = [0x0a, 0x0d];

/** The size of a selection set with its fragments expanded. */
interface Size {
  depth: number;
  fields: number;
}

/**
 * Refuses an operation deeper than 16 fields, with more than 100 root fields, or with more than 2,000 fields in
 * total. Otherwise nested fragments could expand a short document without bound.
 */
function SizeRule(context: ValidationContext): ASTVisitor {
  const known = new Map<FragmentDefinitionNode, Size>();

  const measure = ({ selections }: SelectionSetNode): Size => {
    let depth = 0;
    let fields = 0;
    for (const selection of selections) {
      const isField = selection.kind === Kind.FIELD;
      const below =
        selection.kind === Kind.FRAGMENT_SPREAD
          ? measureFragment(selection.name.value)
          : measureNested(selection.selectionSet);
      depth = Math.max(depth, below.depth + (isField ? 1 : 0));
      fields += below.fields + (isField ? 1 : 0);
    }
    return { depth, fields };
  };

  const measureNested = (set: SelectionSetNode | undefined): Size =>
    set ? measure(set) : { depth: 0, fields: 0 };

  const measureFragment = (name: string): Size => {
    const fragment = context.getFragment(name);
    if (!fragment) return { depth: 0, fields: 0 };
    const size = known.get(fragment);
    if (size) return size;
    // A fragment that spreads itself counts as empty within itself; another rule refuses it.
    known.set(fragment, { depth: 0, fields: 0 });
    const found = measure(fragment.selectionSet);
    known.set(fragment, found);
    return found;
  };

  const countRootFields = ({ selections }: SelectionSetNode): number =>
    selections.reduce((count, selection) => {
      if (selection.kind === Kind.FIELD) return count + 1;
      if (selection.kind === Kind.INLINE_FRAGMENT) return count + countRootFields(selection.selectionSet);
      return count + measureFragment(selection.name.value).fields;
    }, 0);

  return {
    [Kind.OPERATION_DEFINITION]: (operation) => {
      const { depth, fields } = measure(operation.selectionSet);
      const refuse = (message: string) =>
        context.reportError(new GraphQLError(message, { nodes: operation }));
      if (depth > depthLimit) refuse(`The operation is more than ${depthLimit} fields deep.`);
      if (fields > fieldLimit) refuse(`The operation has more than ${fieldLimit} fields.`);
      if (countRootFields(operation.selectionSet) > rootFieldLimit) {
        refuse(`The operation has more than ${rootFieldLimit} root fields.`);
      }
    },
  };
}

/** Refuses a document with more than 200 aliases or more than 200 directives. */
function RepetitionRule(context: ValidationContext): ASTVisitor {
  let aliases = 0;
  let directives = 0;
  return {
    [Kind.FIELD]: ({ alias }) => {
      if (alias) aliases += 1;
    },
    [Kind.DIRECTIVE]: () => {
      directives += 1;
    },
    [Kind.DOCUMENT]: {
      leave: () => {
        const refuse = (message: string) => context.reportError(new GraphQLError(message));
        if (aliases > aliasLimit) refuse(`The document has more than ${aliasLimit} aliases.`);
        if (directives > directiveLimit) refuse(`The document has more than ${directiveLimit} directives.`);
      },
    },
  };
}

/** Validation rules of all documents, in addition to those of the GraphQL specification. */
export const documentRules: readonly ValidationRule[] = [
  KeepableTextRule,
  SizeRule,
  RepetitionRule,
  ListLengthRule,
];

/** Hides suggestions of names, and limits the number of errors to 50; the last states that there are more. */
export const validationOptions = { hideSuggestions: true, maxErrors: maxIssues - 1 };

/** Refuses text in a document that cannot be stored. */
function KeepableTextRule(context: ValidationContext): ASTVisitor {
  return {
    [Kind.STRING]: (node) => {
      if (isStorable(node.value)) return;
      context.reportError(new GraphQLError('Text must be well-formed Unicode without NUL.', { nodes: node }));
    },
  };
}
