/** The operations with which an operator signs in, and proves again who they are. */
import { graphql } from './graphql.ts';

export const SignInOptionsQuery = graphql(`
  query SignInOptions {
    signInOptions {
      passkeys
      password
      oidc
    }
  }
`);

export const RedeemLink = graphql(`
  mutation RedeemLink($token: String!) {
    redeemOperatorLink(input: { token: $token }) {
      id
      needsCredential
    }
  }
`);

export const StartPasskeySignIn = graphql(`
  mutation StartPasskeySignIn {
    startPasskeySignIn {
      challengeId
      options
    }
  }
`);

export const FinishPasskeySignIn = graphql(`
  mutation FinishPasskeySignIn($challengeId: ID!, $response: JSONObject!) {
    finishPasskeySignIn(input: { challengeId: $challengeId, response: $response }) {
      id
    }
  }
`);

export const SignInWithPassword = graphql(`
  mutation SignInWithPassword($email: String!, $password: String!, $code: String) {
    signInWithPassword(input: { email: $email, password: $password, code: $code }) {
      id
    }
  }
`);

export const SignOut = graphql(`
  mutation SignOut {
    signOut
  }
`);

export const StartPasskeyStepUp = graphql(`
  mutation StartPasskeyStepUp {
    startPasskeyStepUp {
      challengeId
      options
    }
  }
`);

export const FinishPasskeyStepUp = graphql(`
  mutation FinishPasskeyStepUp($challengeId: ID!, $response: JSONObject!) {
    finishPasskeyStepUp(input: { challengeId: $challengeId, response: $response }) {
      id
      steppedUpUntil
    }
  }
`);

export const SteppedUpQuery = graphql(`
  query SteppedUp {
    operator {
      id
      steppedUpUntil
    }
  }
`);

export const StepUpWithPassword = graphql(`
  mutation StepUpWithPassword($password: String!, $code: String!) {
    stepUpWithPassword(input: { password: $password, code: $code }) {
      id
      steppedUpUntil
    }
  }
`);
