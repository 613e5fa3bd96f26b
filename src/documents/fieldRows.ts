/** Rows of fields that an e-invoice may lack. */
import { toXmlText } from './xml.ts';

/** A business term of the standard, the field to complete, a sentence, and the national rule that asks for it, if one does. */
export interface MissingField {
  term: string;
  path: string;
  message: string;
  rule?: string;
}

/** Whether a field is missing; its term, its path and a sentence; and the national rule that asks for it, if one does. */
export type FieldRow = [missing: boolean, term: string, path: string, message: string, rule?: string];

/** Lists the rows whose first column is true. */
export const choose = (rows: FieldRow[]): MissingField[] =>
  rows
    .filter(([missing]) => missing)
    .map(([, term, path, message, rule]) => ({ term, path, message, ...(rule !== undefined && { rule }) }));

/** Whether nothing is left of a text once what XML forbids and white space around it are taken off. */
export const isBlank = (text: string | null | undefined): boolean => toXmlText(text ?? null) === '';
