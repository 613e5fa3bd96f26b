import * as z from 'zod';
import type { MaybePromise } from '../lib/maybePromise.ts';
import { dropEmpty, parseInput, textMetadata } from '../lib/validation.ts';
import type { TextMetadata } from '../storage/model/common.ts';
import type { Row } from '../storage/model/rowTypes.ts';
import type { UnitOfWork } from './unitOfWork.ts';

const changes = z.object({ metadata: textMetadata.nullish() });

/**
 * Replaces the metadata of a record: null empties them, undefined leaves them. Nothing else of it changes, so its status
 * does not matter. Error: `validation_failed`.
 */
export function changeMetadata<Name extends 'intents' | 'subscriptions' | 'invoices' | 'payments'>(
  unit: UnitOfWork,
  name: Name,
  record: Row<Name>,
  input: unknown,
): MaybePromise<Row<Name>> {
  const { metadata } = parseInput(changes, input);
  const before = record.metadata as TextMetadata | null;
  const isSame = metadata === undefined || (!dropEmpty(metadata) && !dropEmpty(before));
  if (isSame) return record;
  return unit.change(name, record, { metadata: (metadata ?? {}) as TextMetadata } as Partial<Row<Name>>);
}
