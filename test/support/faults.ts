import { examine } from '../../src/operations/doctor.ts';
import type { TestApp } from './app.ts';

/** What the doctor finds wrong with a tenant, as text. */
export async function faultsOf(app: TestApp, alias: string): Promise<string[]> {
  const { findings } = await examine(app.service, () => {});
  return findings
    .filter(({ tenant }) => tenant === alias)
    .map(({ check, subject, found }) => `${check}: ${subject} ${found}`);
}
