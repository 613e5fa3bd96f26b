// How a page gets the token of its customer, in the guides to Apollo Client, urql and Relay: copy it beside your page.
let session;

/** Returns the token; a new one in the last minute of the present one. Rejects if nobody is signed in at the site. */
export async function readToken() {
  if (session && Date.parse(session.expiresAt) - Date.now() > 60_000) return session.token;
  const response = await fetch('/token', { method: 'POST' });
  if (!response.ok) throw new Error('Sign in first');
  session = await response.json();
  return session.token;
}

/** Makes the visitor a customer of the site. */
export async function signUp(email) {
  await fetch('/sign-up', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ email, firstName: 'Kurt', lastName: 'Gödel' }),
  });
}
