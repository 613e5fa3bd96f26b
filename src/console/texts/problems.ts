import type { Issue, Problem } from '../data/errors.ts';
import { useFormat } from './format.ts';
import { useTexts } from './language.tsx';
import { problemTexts } from './texts.ts';

/** A problem in words. */
export interface ProblemWords {
  title: string;
  /** The refused fields, one line each. */
  detail: string[];
}

/** Returns a function that puts a problem into words; `labels` has those of the fields of the form by their paths. */
export function useProblemWords(): (problem: Problem, labels?: ReadonlyMap<string, string>) => ProblemWords {
  const t = useTexts(problemTexts);
  const reasons = t.reasons as Record<string, string>;
  const explain = useIssueText();
  return ({ reason, message, issues }, labels) => ({
    title: reasons[reason] ?? (reason.endsWith('_not_found') ? t.notFound : message),
    detail:
      reason === 'permission_missing'
        ? []
        : issues.map((issue) => writeIssue(findLabel(labels, issue.path), explain(issue))),
  });
}

/** Writes an issue with the label of the field that it concerns. */
const writeIssue = (label: string | undefined, text: string): string =>
  label === undefined ? text.replace(/^\p{Ll}/u, (letter) => letter.toUpperCase()) : `${label}: ${text}`;

/** Returns a function that says what is wrong with a field, in the language of the console if the server gave a code. */
export function useIssueText(): (issue: Omit<Issue, 'path'>) => string {
  const t = useTexts(problemTexts);
  const format = useFormat();
  const codes = t.codes as Record<string, string | ((limit: string) => string)>;
  return ({ code, limit, left, message }) => {
    const text = code === undefined ? undefined : codes[code];
    if (typeof text !== 'function') return text ?? message;
    if (left) return text(format.money(left));
    return limit === undefined ? message : text(format.number(limit));
  };
}

/** Returns the label of the field that has the path of an issue, or a part of it; the last part is the most exact. */
function findLabel(labels: ReadonlyMap<string, string> | undefined, path: string): string | undefined {
  const findEnd = (field: string) => {
    const at = `.${path}.`.lastIndexOf(`.${field}.`);
    return at < 0 ? at : at + field.length;
  };
  const fields = [...(labels?.keys() ?? [])].filter((field) => findEnd(field) >= 0);
  const [nearest] = fields.toSorted(
    (one, other) => findEnd(other) - findEnd(one) || other.length - one.length,
  );
  return nearest === undefined ? undefined : labels?.get(nearest);
}

/** Where the server reports what is wrong with a field, and what it said. */
export interface Refusable {
  path: string;
  problem: Issue | undefined;
}

/** Returns what the server said about one field of a form: `input.email`, or its end, `email`; and of an amount its figures. */
export function findRefusal(problem: Problem | undefined, field: string): Refusable {
  const ends = [field, `${field}.decimal`];
  // A field for a whole list shows what is wrong with an entry.
  const listOf = (path: string) => path.replace(/\.\d+(\.decimal)?$/, '');
  const fits = (path: string) => ends.some((end) => `.${path}`.endsWith(`.${end}`));
  const issue = problem?.issues.find(({ path }) => fits(path) || fits(listOf(path)));
  return { path: field, problem: issue };
}
