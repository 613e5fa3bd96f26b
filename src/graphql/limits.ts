import {
  GraphQLError,
  Kind,
  type ASTVisitor,
  type FragmentDefinitionNode,
  type SelectionSetNode,
  type ValidationContext,
} from 'graphql';

const depthLimit = 16;
const fieldLimit = 2000;
const rootFieldLimit = 100;

/** How much a selection asks for, its fragments unfolded. */
interface Size {
  depth: number;
  fields: number;
}

/**
 * Refuses an operation that is deeper than 16 fields, has more than 100 root fields or more than 2,000 fields in
 * all: fragments that spread each other would otherwise unfold a short document into an endless answer.
 */
export function SizeRule(context: ValidationContext): ASTVisitor {
  const known = new Map<FragmentDefinitionNode, Size>();

  const sizeOf = ({ selections }: SelectionSetNode): Size => {
    let depth = 0;
    let fields = 0;
    for (const selection of selections) {
      const isField = selection.kind === Kind.FIELD;
      const below =
        selection.kind === Kind.FRAGMENT_SPREAD
          ? sizeOfFragment(selection.name.value)
          : within(selection.selectionSet);
      depth = Math.max(depth, below.depth + (isField ? 1 : 0));
      fields += below.fields + (isField ? 1 : 0);
    }
    return { depth, fields };
  };

  const within = (set: SelectionSetNode | undefined): Size => (set ? sizeOf(set) : { depth: 0, fields: 0 });

  const sizeOfFragment = (name: string): Size => {
    const fragment = context.getFragment(name);
    if (!fragment) return { depth: 0, fields: 0 };
    const size = known.get(fragment);
    if (size) return size;
    // What spreads itself counts as nothing within itself; another rule refuses it.
    known.set(fragment, { depth: 0, fields: 0 });
    const found = sizeOf(fragment.selectionSet);
    known.set(fragment, found);
    return found;
  };

  const rootFieldsOf = ({ selections }: SelectionSetNode): number =>
    selections.reduce((count, selection) => {
      if (selection.kind === Kind.FIELD) return count + 1;
      if (selection.kind === Kind.INLINE_FRAGMENT) return count + rootFieldsOf(selection.selectionSet);
      return count + sizeOfFragment(selection.name.value).fields;
    }, 0);

  return {
    [Kind.OPERATION_DEFINITION]: (operation) => {
      const { depth, fields } = sizeOf(operation.selectionSet);
      const refuse = (message: string) =>
        context.reportError(new GraphQLError(message, { nodes: operation }));
      if (depth > depthLimit) refuse(`The operation is more than ${depthLimit} fields deep.`);
      if (fields > fieldLimit) refuse(`The operation has more than ${fieldLimit} fields.`);
      if (rootFieldsOf(operation.selectionSet) > rootFieldLimit) {
        refuse(`The operation has more than ${rootFieldLimit} root fields.`);
      }
    },
  };
}
