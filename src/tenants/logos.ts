import type { CheckedLogo } from '../documents/logo.ts';
import type { UnitOfWork } from '../tenancy/unitOfWork.ts';

/** Stores an image unless it is known. Returns its id. */
export async function storeLogo(
  unit: UnitOfWork,
  { sha256: id, contentType, base64 }: CheckedLogo,
): Promise<string> {
  if (!(await unit.one('logos', { id })))
    await unit.insertUntraced('logos', { id, contentType, base64, createdAt: unit.now });
  return id;
}
