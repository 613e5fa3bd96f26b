import { randomUUID } from 'node:crypto';
import { jwtVerify, SignJWT } from 'jose';
import { cookies } from 'next/headers';
import { redirect } from 'next/navigation';
import { billing } from './billing';
import { addUser, findUser, type User } from './database';
import { readSetting } from './settings';

const cookieName = 'user';
const longestSeconds = 7 * 86_400;
const secret = () => new TextEncoder().encode(readSetting('SESSION_SECRET'));

/** Returns who is signed in. */
export async function readUser(): Promise<User | undefined> {
  const token = (await cookies()).get(cookieName)?.value;
  if (!token) return undefined;
  const verified = await jwtVerify(token, secret()).catch(() => undefined);
  return verified?.payload.sub ? findUser('id', verified.payload.sub) : undefined;
}

/** Returns who is signed in, or leads to the page that signs in. */
export async function requireUser(): Promise<User> {
  return (await readUser()) ?? redirect('/sign-in');
}

/** Signs in by address alone: put your own sign-in here. */
export async function signIn(person: { email: string; firstName: string; lastName: string }): Promise<void> {
  const user = (await findUser('email', person.email)) ?? (await createUser(person));
  const token = await new SignJWT()
    .setProtectedHeader({ alg: 'HS256' })
    .setSubject(user.id)
    .setExpirationTime(`${longestSeconds} s`)
    .sign(secret());
  (await cookies()).set(cookieName, token, { httpOnly: true, sameSite: 'lax', maxAge: longestSeconds });
}

/** Creates a user and their customer. */
async function createUser(person: { email: string; firstName: string; lastName: string }): Promise<User> {
  const id = randomUUID();
  const { id: customerId } = await billing().customers.upsert({ associatedId: id, ...person });
  await addUser({ id, email: person.email, customerId });
  return { id, email: person.email, customerId };
}
