import { createParameterDecorator } from 'type-graphql';
import type { Context } from './context.ts';

/** Passes the tenant of the request to a resolver. Errors: `sign_in_required`, `tenant_missing`. */
export const CurrentTenant = () => createParameterDecorator<Context>(({ context }) => context.tenant);

/** The field of inputs that verifies the identity of a customer. */
export const associatedId = {
  nullable: true,
  description: "The customer's id in your own system; verified if given. Error: `associated_id_mismatch`.",
};

/** The filter of a list by the texts of its records. */
export const searchFilter = (texts: string) => ({
  nullable: true,
  description: `Filter by any part of ${texts}, in any case and without accents; 2 to 200 characters. Finds the best 200 records, and those of the best 200 customers.`,
});
