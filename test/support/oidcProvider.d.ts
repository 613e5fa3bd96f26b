/** The provider of the tests has no types of its own. */
declare module 'oidc-provider' {
  const Provider: any;
  export default Provider;
}
