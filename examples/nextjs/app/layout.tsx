import type { ReactNode } from 'react';
import Link from 'next/link';
import { readUser } from '@/lib/user';
import './style.css';

export const metadata = { title: 'Digest', description: 'Summaries of texts' };

export default async function Layout({ children }: { children: ReactNode }) {
  const user = await readUser();
  return (
    <html lang="en">
      <body>
        <nav aria-label="Main">
          <Link href="/">Digest</Link>
          <Link href="/summaries">Summaries</Link>
          {user ? <Link href="/account">{user.email}</Link> : <Link href="/sign-in">Sign in</Link>}
        </nav>
        <main>{children}</main>
      </body>
    </html>
  );
}
