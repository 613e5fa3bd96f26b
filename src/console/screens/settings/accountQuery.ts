import { graphql, type VariablesOf } from '../../data/graphql.ts';

export const ConfigureAccount = graphql(`
  mutation ConfigureAccount($input: ConfigureAccountInput!) {
    configureAccount(input: $input) {
      provider
    }
  }
`);

export type AccountInput = VariablesOf<typeof ConfigureAccount>['input'];

export const TestAccount = graphql(`
  mutation TestAccount($provider: AccountProvider!) {
    testAccount(input: { provider: $provider }) {
      provider
      failedAt
      failure
    }
  }
`);

export const CreateCallbackSecret = graphql(`
  mutation CreateCallbackSecret {
    createCallbackSecret(input: { provider: access_point }) {
      secret
    }
  }
`);

export const RemoveAccount = graphql(`
  mutation RemoveAccount($provider: AccountProvider!) {
    removeAccount(input: { provider: $provider }) {
      provider
    }
  }
`);
