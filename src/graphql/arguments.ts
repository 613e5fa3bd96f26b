import { createParameterDecorator } from 'type-graphql';
import type { Context } from './context.ts';

/** Passes the tenant of the request to a resolver. Errors: `sign_in_required`, `tenant_missing`. */
export const CurrentTenant = () => createParameterDecorator<Context>(({ context }) => context.tenant);

/** The field of inputs that verifies the identity of a customer. */
export const associatedId = {
  nullable: true,
  description: "The customer's id in your own system; verified if given. Error: `associated_id_mismatch`.",
};
