/** Passkeys in the browser. The package is loaded when one is used. */

/** Options or a response of WebAuthn, as JSON. */
type WebAuthnJson = Record<string, unknown>;

const load = () => import('@simplewebauthn/browser');

/** Whether the browser knows passkeys; only on https and on the own machine. */
export const hasPasskeys = (): boolean => 'PublicKeyCredential' in window;

/** Asks for a passkey; returns undefined if the operator cancels or has none here. */
export async function provePasskey(options: WebAuthnJson): Promise<WebAuthnJson | undefined> {
  const { startAuthentication } = await load();
  return orCancelled(startAuthentication({ optionsJSON: options as never }));
}

/** Creates a passkey; returns undefined if the operator cancels. */
export async function createPasskey(options: WebAuthnJson): Promise<WebAuthnJson | undefined> {
  const { startRegistration } = await load();
  return orCancelled(startRegistration({ optionsJSON: options as never }));
}

async function orCancelled(ceremony: Promise<unknown>): Promise<WebAuthnJson | undefined> {
  try {
    return (await ceremony) as WebAuthnJson;
  } catch (error) {
    const { name } = error as Error;
    if (name === 'NotAllowedError' || name === 'AbortError' || name === 'InvalidStateError') return undefined;
    throw error;
  }
}
