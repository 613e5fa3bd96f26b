import { dropEmpty } from '../../lib/validation.ts';
import type { TextMetadata } from '../../storage/model/common.ts';
import type { Row } from '../../storage/model/rowTypes.ts';
import type { Reads } from '../../storage/store.ts';

/** Returns the metadata of an order: that of its intent, or of the subscription that it changes; null for none. */
export async function findOrderMetadata(
  reads: Reads,
  { metadata, changesSubscriptionId }: Pick<Row<'intents'>, 'metadata' | 'changesSubscriptionId'>,
): Promise<TextMetadata | null> {
  if (metadata || changesSubscriptionId === null) return metadata;
  return dropEmpty((await reads.one('subscriptions', { id: changesSubscriptionId }))?.metadata);
}
