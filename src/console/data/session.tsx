import { createContext, useContext } from 'react';
import { graphql, type ResultOf } from './graphql.ts';

/** The operator who is signed in; asked without a tenant. */
export const OperatorQuery = graphql(`
  query Operator {
    operator {
      id
      email
      name
      steppedUpUntil
      hasPassword
      hasTotp
      needsCredential
      canCreateTenants
      passkeys {
        id
      }
      memberships {
        role
        permissions
        views {
          list
          name
          query
        }
        tenant {
          alias
          name
          isTest
          timeZone
          defaultCurrency
        }
      }
    }
  }
`);

export type Operator = NonNullable<ResultOf<typeof OperatorQuery>['operator']>;
export type Membership = Operator['memberships'][number];
export type Permission = Membership['permissions'][number];

/** The signed-in operator, and the tenant of the screens below. */
export interface Session {
  operator: Operator;
  /** Undefined on the screens of the operator's own account. */
  membership?: Membership;
  /** Loads the operator again, for example after a change of the name. */
  refresh: () => void;
  signedOut: () => void;
}

export const SessionContext = createContext<Session | undefined>(undefined);

/** Returns the session. Throws an Error outside of the shell. */
export function useSession(): Session {
  const session = useContext(SessionContext);
  if (!session) throw new Error('There is no session here.');
  return session;
}

/** Returns the tenant of the screen. Throws an Error on the screens of the operator's own account. */
export function useTenant(): Membership['tenant'] {
  const { membership } = useSession();
  if (!membership) throw new Error('There is no tenant here.');
  return membership.tenant;
}

/** Returns whether the operator's role has a permission in this tenant. The server decides; this decides what to show. */
export function useCan(permission: Permission): boolean {
  return useSession().membership?.permissions.includes(permission) ?? false;
}
