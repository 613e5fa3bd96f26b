import type { Problem } from '../data/errors.ts';
import { useTexts } from './language.tsx';
import { problemTexts } from './texts.ts';

/** A problem in words. */
export interface ProblemWords {
  title: string;
  /** The refused fields, one line each. */
  detail: string[];
}

/** Returns a function that puts a problem into words. */
export function useProblemWords(): (problem: Problem) => ProblemWords {
  const t = useTexts(problemTexts).reasons as Record<string, string>;
  return ({ reason, message, issues }) => ({
    title: t[reason] ?? message,
    detail:
      reason === 'permission_missing' ? [] : issues.map(({ path, message: text }) => `${path}: ${text}`),
  });
}

/** Returns what the server said about one field of a form: `input.email`, or its end, `email`. */
export function findFieldProblem(problem: Problem | undefined, field: string): string | undefined {
  return problem?.issues.find(({ path }) => path === field || path.endsWith(`.${field}`))?.message;
}
