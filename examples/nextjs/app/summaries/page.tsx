import { randomUUID } from 'node:crypto';
import { findPlan } from '@/lib/database';
import { requireUser } from '@/lib/user';
import { Form } from './Form';

export default async function Summaries() {
  const { customerId } = await requireUser();
  return (
    <>
      <h1>Summaries</h1>
      <p>Your plan: {(await findPlan(customerId)) ?? 'none yet'}</p>
      <Form id={randomUUID()} />
    </>
  );
}
