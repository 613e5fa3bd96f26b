/** Whether each tenant with operators has an owner, and whether the secrets of operators can be decrypted. */
import type { Queries } from '../../storage/query/queries.ts';
import { nameSecretOwner } from '../../tenancy/serverScope.ts';
import type { Service } from '../../tenancy/service.ts';

type Report = (fault: { subject: string; found: string }) => void;

/** Checks that the tenant has an owner, if it has operators. */
export async function examineOwners(queries: Queries, tenantAlias: string, report: Report): Promise<void> {
  const members = await queries.count('operatorMemberships', { tenantAlias });
  const owners = await queries.count('operatorMemberships', { tenantAlias, role: 'owner' });
  if (members > 0 && owners === 0) report({ subject: '', found: 'has operators, but no owner' });
}

/** Checks that the secrets of authenticator apps can be decrypted, if there is a key. */
export async function examineOperators(
  service: Pick<Service, 'secretBox'>,
  queries: Queries,
  report: Report,
): Promise<void> {
  if (!service.secretBox.hasKey()) return;
  for (const { id, totpSecret } of await queries.select('operators', { where: {}, orderBy: ['id'] })) {
    if (totpSecret !== null && !canOpen(service, totpSecret, id))
      report({
        subject: id,
        found: 'has an authenticator app whose secret the key of this server cannot decrypt',
      });
  }
}

function canOpen({ secretBox }: Pick<Service, 'secretBox'>, sealed: string, operatorId: string): boolean {
  try {
    secretBox.open(sealed, nameSecretOwner(operatorId));
    return true;
  } catch {
    return false;
  }
}
