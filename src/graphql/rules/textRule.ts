import { GraphQLError, Kind, type ASTVisitor, type ValidationContext } from 'graphql';
import { isStorable } from '../../lib/storableText.ts';

/** Refuses text in a document that cannot be stored. */
export function KeepableTextRule(context: ValidationContext): ASTVisitor {
  return {
    [Kind.STRING]: (node) => {
      if (isStorable(node.value)) return;
      context.reportError(new GraphQLError('Text must be well-formed Unicode without NUL.', { nodes: node }));
    },
  };
}
