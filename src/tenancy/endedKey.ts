import { BillingError } from '../lib/errors.ts';
import type { Row } from '../storage/model/rowTypes.ts';

/** The refusal of a browser's genuine credential that was revoked or has expired: pages of the tenant may read it. */
export class EndedKey extends BillingError {
  constructor(readonly tenant: Row<'tenants'>) {
    super('api_key_invalid');
  }
}
