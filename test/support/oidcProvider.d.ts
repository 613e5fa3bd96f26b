/** The provider of the tests has no types of its own. */
declare module 'oidc-provider' {
  export const Provider: any;
}
