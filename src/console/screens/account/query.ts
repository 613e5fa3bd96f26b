import { graphql, type ResultOf } from '../../data/graphql.ts';

export const AccountQuery = graphql(`
  query Account {
    operator {
      id
      email
      name
      hasPassword
      hasTotp
      recoveryCodesLeft
      passkeys {
        id
        name
        createdAt
        lastUsedAt
        isBackedUp
      }
      sessions {
        id
        createdAt
        lastSeenAt
        expiresAt
        userAgent
        address
        isCurrent
      }
    }
  }
`);

export type Account = NonNullable<ResultOf<typeof AccountQuery>['operator']>;

export const UpdateOperator = graphql(`
  mutation UpdateOperator($name: String) {
    updateOperator(input: { name: $name }) {
      id
      name
    }
  }
`);

export const RevokeSession = graphql(`
  mutation RevokeSession($id: ID!) {
    revokeOperatorSession(id: $id) {
      id
      sessions {
        id
      }
    }
  }
`);

export const RevokeOtherSessions = graphql(`
  mutation RevokeOtherSessions {
    revokeOtherOperatorSessions {
      id
      sessions {
        id
      }
    }
  }
`);

export const StartPasskeyRegistration = graphql(`
  mutation StartPasskeyRegistration {
    startPasskeyRegistration {
      challengeId
      options
    }
  }
`);

export const FinishPasskeyRegistration = graphql(`
  mutation FinishPasskeyRegistration($challengeId: ID!, $name: String, $response: JSONObject!) {
    finishPasskeyRegistration(input: { challengeId: $challengeId, name: $name, response: $response }) {
      id
      passkeys {
        id
      }
    }
  }
`);

export const RemovePasskey = graphql(`
  mutation RemovePasskey($id: ID!) {
    removePasskey(id: $id) {
      id
      passkeys {
        id
      }
    }
  }
`);

export const SetPassword = graphql(`
  mutation SetPassword($password: String!) {
    setPassword(input: { password: $password }) {
      id
      hasPassword
    }
  }
`);

export const RemovePassword = graphql(`
  mutation RemovePassword {
    removePassword {
      id
      hasPassword
      hasTotp
      recoveryCodesLeft
    }
  }
`);

export const StartTotp = graphql(`
  mutation StartTotp {
    startTotp {
      secret
      url
    }
  }
`);

export const FinishTotp = graphql(`
  mutation FinishTotp($code: String!) {
    finishTotp(input: { code: $code }) {
      codes
    }
  }
`);

export const CreateRecoveryCodes = graphql(`
  mutation CreateRecoveryCodes {
    createRecoveryCodes {
      codes
    }
  }
`);
