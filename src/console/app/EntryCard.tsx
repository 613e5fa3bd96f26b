import { useEffect, type ReactNode } from 'react';
import { useClient } from 'urql';
import { SignOut } from '../data/operations.ts';
import { useSession } from '../data/session.tsx';
import { Button } from '../design/Button.tsx';
import { useTexts } from '../texts/language.tsx';
import { texts } from './texts.ts';
import './EntryCard.css';

/** A screen outside of the tenants' frame, such as the sign-in: one card in the middle. */
export function EntryCard({ title, children }: { title: string; children: ReactNode }) {
  useEffect(() => {
    document.title = `${title} – Perennial`;
  }, [title]);
  return (
    <main className="sign-in">
      <div className="sign-in-card">
        <h1>{title}</h1>
        {children}
      </div>
    </main>
  );
}

/** Returns a function that ends the session, also one that has ended by itself. */
export function useSignOut(): () => Promise<void> {
  const client = useClient();
  const { signedOut } = useSession();
  return async () => {
    await client.mutation(SignOut, {}).toPromise();
    signedOut();
  };
}

/** Signs out, on screens without the menu of the operator. */
export function SignOutButton() {
  const t = useTexts(texts);
  const signOut = useSignOut();
  return (
    <Button look="quiet" icon="outward" onClick={() => void signOut()}>
      {t.signOut}
    </Button>
  );
}
