'use server';

import { randomUUID } from 'node:crypto';
import { billing } from '@/lib/billing';
import { readText } from '@/lib/form';
import { requireUser } from '@/lib/user';

/** What the form shows: a summary, or why there is none. */
export interface Answer {
  /** The id of the next use: a form that is sent twice counts once. */
  id: string;
  summary?: string;
  remaining?: string | null;
  refusal?: string;
}

/** Makes a summary if the plan of the user allows one more. */
export async function summarize(_last: Answer, form: FormData): Promise<Answer> {
  const { customerId } = await requireUser();
  const access = await billing().entitlements.consume({
    id: readText(form, 'id'),
    customerId,
    feature: 'summaries',
    amount: '1',
  });
  const id = randomUUID();
  if (!access.allowed) return { id, refusal: access.because };
  const sentences = readText(form, 'text').match(/[^.!?]+[.!?]*/g) ?? [];
  return { id, summary: sentences.slice(0, 2).join('').trim(), remaining: access.remaining };
}
