/** The terms that a document has by its profile: the business process, the day on which it is due, and notes. */
import { findBillingFrame, findFrenchDueDate, listFrenchNotes } from './france.ts';
import { france, type Profile } from './profiles.ts';
import type { DocumentRecord } from './record.ts';

/** Returns the business process (BT-23); null if the profile has none. */
export const findProcessId = (record: DocumentRecord, profile: Profile): string | null =>
  profile === france ? findBillingFrame(record) : profile.processId;

/** Returns the day on which it is due (BT-9); null if nothing is to be transferred. */
export const findDueDate = (record: DocumentRecord, profile: Profile): string | null =>
  profile === france ? findFrenchDueDate(record) : record.dueDate;

/** A note (BT-22) and the code of its subject (BT-21), which general ones have not. */
export interface DocumentNote {
  code: string | null;
  text: string | null;
}

/** Returns the notes of a document. */
export const listNotes = (record: DocumentRecord, profile: Profile): DocumentNote[] => [
  { code: null, text: record.note },
  ...(profile === france ? listFrenchNotes(record) : []),
];

/** Returns a record as people read it in a profile: the notes that the law asks for are in its text. */
export function addReadableNotes(record: DocumentRecord, profile: Profile): DocumentRecord {
  const texts = listNotes(record, profile)
    .filter(({ code, text }) => text !== null && code !== treatmentCode)
    .map(({ text }) => text);
  return { ...record, note: texts.join('\n') || null };
}

/** A word for platforms, not for people. */
const treatmentCode = 'BAR';
