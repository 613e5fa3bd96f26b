/** Notes that the tenant's people and programs write about a customer. */
import * as z from 'zod';
import { refuse } from '../../lib/errors.ts';
import { longText, parseInput } from '../../lib/validation.ts';
import type { Row } from '../../storage/model/rowTypes.ts';
import type { Reads } from '../../storage/store.ts';
import { refusePermission } from '../../tenancy/actor.ts';
import { readPage, type Page, type PageArgs } from '../../tenancy/pagination.ts';
import type { TenantScope } from '../../tenancy/tenantScope.ts';
import type { UnitOfWork } from '../../tenancy/unitOfWork.ts';
import { findCustomer } from './customers.ts';

export type NoteRow = Row<'customerNotes'>;

const noteText = longText.trim().min(1, 'must not be empty');
const newNote = z.object({ customerId: z.string(), text: noteText });
const noteChanges = z.object({ text: noteText });

/** Who writes or changes notes: an author may change their own, and who may change all notes. */
export interface NoteEditor {
  executorId: string;
  /** The name of the operator; null for an API key. */
  name: string | null;
  mayChangeAll: boolean;
}

/** Writes a note of 1 to 5,000 characters about a customer. Errors: `customer_not_found`, `validation_failed`. */
export async function createCustomerNote(
  unit: UnitOfWork,
  { executorId: authorId, name: authorName }: NoteEditor,
  input: unknown,
): Promise<NoteRow> {
  const { customerId, text } = parseInput(newNote, input);
  await findCustomer(unit, customerId);
  const { now: createdAt } = unit;
  const values = { customerId, text, authorId, authorName, createdAt, updatedAt: createdAt };
  return unit.create('customerNotes', { id: unit.id('note'), ...values });
}

/**
 * Changes the text of a note; its author stays. Errors: `customer_note_not_found`, `permission_missing`,
 * `validation_failed`.
 */
export async function updateCustomerNote(
  unit: UnitOfWork,
  editor: NoteEditor,
  id: string,
  input: unknown,
): Promise<NoteRow> {
  const changes = parseInput(noteChanges, input);
  return unit.change('customerNotes', await findChangeableNote(unit, editor, id), changes);
}

/** Deletes a note. Errors: `customer_note_not_found`, `permission_missing`. */
export const deleteCustomerNote = async (
  unit: UnitOfWork,
  editor: NoteEditor,
  id: string,
): Promise<NoteRow> => unit.remove('customerNotes', await findChangeableNote(unit, editor, id));

async function findChangeableNote(
  reads: Reads,
  { executorId, mayChangeAll }: NoteEditor,
  id: string,
): Promise<NoteRow> {
  const note = await findCustomerNote(reads, id);
  return mayChangeAll || note.authorId === executorId ? note : refusePermission('manage_settings');
}

/** Returns the note with this id. Error: `customer_note_not_found`. */
export const findCustomerNote = async (reads: Reads, id: string): Promise<NoteRow> =>
  (await reads.one('customerNotes', { id })) ?? refuse('customer_note_not_found');

/** Lists the notes about a customer; newest first by default. Errors: `customer_not_found`, `cursor_invalid`. */
export async function listCustomerNotes(
  tenant: TenantScope,
  customerId: string,
  args: PageArgs,
): Promise<Page<NoteRow>> {
  await findCustomer(tenant.read, customerId);
  const list = { name: 'customerNotes', table: 'customerNotes', where: { customerId } } as const;
  return readPage(tenant, { ...list, by: ['createdAt', 'id'] }, args);
}

/** Deletes the notes about a customer who is deleted. */
export async function deleteNotesAbout(unit: UnitOfWork, customerId: string): Promise<void> {
  for (const note of await unit.many('customerNotes', { where: { customerId } }))
    await unit.remove('customerNotes', note, { causedBy: customerId });
}
