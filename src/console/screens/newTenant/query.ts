import { graphql } from '../../data/graphql.ts';

export const CreateTenant = graphql(`
  mutation CreateTenant($input: CreateTenantInput!) {
    createTenant(input: $input) {
      tenant {
        alias
      }
    }
  }
`);
