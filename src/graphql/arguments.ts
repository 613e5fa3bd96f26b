import { createParameterDecorator } from 'type-graphql';
import { refuse } from '../lib/errors.ts';
import type { Context } from './context.ts';

/**
 * Declares the argument `tenantAlias` of a root field, and passes the resolver the tenant of the request's key. The
 * key alone selects the tenant; an alias in the request is only verified. Error: `tenant_mismatch`.
 */
export const CurrentTenant = () =>
  createParameterDecorator<Context>(
    ({ context, args }) => {
      const alias = args['tenantAlias'] as string | null | undefined;
      if (alias !== null && alias !== undefined && alias !== context.tenant.alias) refuse('tenant_mismatch');
      return context.tenant;
    },
    {
      arg: {
        name: 'tenantAlias',
        typeFunc: () => String,
        options: {
          nullable: true,
          description: 'The tenant of the API key, verified if given. Error: `tenant_mismatch`.',
        },
      },
    },
  );

/** The argument that verifies the identity of a customer. */
export const associatedId = {
  nullable: true,
  description: "The customer's id in your own system; verified if given. Error: `associated_id_mismatch`.",
};
