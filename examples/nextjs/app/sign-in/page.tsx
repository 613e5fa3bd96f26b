import { redirect } from 'next/navigation';
import { readText } from '@/lib/form';
import { signIn } from '@/lib/user';

async function submit(form: FormData) {
  'use server';
  const read = (name: string) => readText(form, name).trim();
  await signIn({
    email: read('email').toLowerCase(),
    firstName: read('firstName'),
    lastName: read('lastName'),
  });
  redirect('/');
}

export default function SignIn() {
  return (
    <>
      <h1>Sign in</h1>
      <form action={submit}>
        <label>
          E-mail address <input name="email" type="email" autoComplete="email" required maxLength={254} />
        </label>
        <label>
          First name <input name="firstName" autoComplete="given-name" required maxLength={100} />
        </label>
        <label>
          Last name <input name="lastName" autoComplete="family-name" required maxLength={100} />
        </label>
        <button type="submit">Sign in</button>
      </form>
    </>
  );
}
