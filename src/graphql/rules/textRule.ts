import { GraphQLError, Kind, type ASTVisitor, type ValidationContext } from 'graphql';
import { maxIssues, refuse, type Issue } from '../../lib/errors.ts';

/**
 * Text is well-formed Unicode without NUL: PostgreSQL cannot keep NUL, and half a
 * surrogate pair has no UTF-8 form.
 */
const isKeepable = (text: string) => text.isWellFormed() && !text.includes('\0');

const suspicious = /\\u(?:0000|[dD][89a-fA-F])/;

/** Whether JSON text can hold a NUL or half a pair at all: only an escape can write one. */
export const mayHoldBadText = (json: string): boolean => suspicious.test(json);

/** Refuses values that hold text which cannot be kept, naming each field. Error: `validation_failed`. */
export function refuseBadText(values: Record<string, unknown>): void {
  const issues: Issue[] = [];
  findBadText(values, '', issues);
  if (issues.length) refuse('validation_failed', ...issues);
}

function findBadText(value: unknown, path: string, issues: Issue[]): void {
  if (issues.length >= maxIssues) return;
  if (typeof value === 'string') {
    if (!isKeepable(value)) issues.push({ path, message: 'must be well-formed Unicode without NUL' });
    return;
  }
  if (typeof value !== 'object' || value === null) return;
  for (const [key, member] of Object.entries(value)) {
    const at = path ? `${path}.${key}` : key;
    if (isKeepable(key)) findBadText(member, at, issues);
    else
      issues.push({ path: path || 'body', message: 'has a key that is not well-formed Unicode without NUL' });
  }
}

/** The same rule for text written into a document itself. */
export function KeepableTextRule(context: ValidationContext): ASTVisitor {
  return {
    [Kind.STRING]: (node) => {
      if (isKeepable(node.value)) return;
      context.reportError(new GraphQLError('Text must be well-formed Unicode without NUL.', { nodes: node }));
    },
  };
}
