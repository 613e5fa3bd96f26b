/** Examines the checks of VAT ids: the status by which lists find them, and the evidence. */
import type { Row } from '../../storage/model/rowTypes.ts';
import type { Queries } from '../../storage/query/queries.ts';
import { readPages } from '../tenantFiles/tableScan.ts';

interface Fault {
  subject: string;
  found: string;
}

type Evidence = Row<'vatIdChecks'>;

/** Checks that the status of each VAT id is that of its check, and that no answer contradicts it. */
export async function examineVatIds(
  queries: Queries,
  tenantAlias: string,
  report: (fault: Fault) => void,
): Promise<void> {
  for await (const page of readPages(queries, 'customers', tenantAlias)) {
    const checked = page.filter(({ vatIdCheck }) => vatIdCheck !== null);
    const answers = await readNewest(queries, tenantAlias, checked);
    for (const customer of page) {
      const found = examineOne(customer, answers.get(customer.id));
      if (found !== undefined) report({ subject: customer.id, found });
    }
  }
}

/** Returns the newest answer of each customer about the id of their check. */
async function readNewest(
  queries: Queries,
  tenantAlias: string,
  customers: Row<'customers'>[],
): Promise<ReadonlyMap<string, Evidence>> {
  if (customers.length === 0) return new Map();
  const values = new Map(customers.map(({ id, vatIdCheck }) => [id, vatIdCheck!.value]));
  const where = { tenantAlias, customerId: [...values.keys()] };
  const answers = await queries.select('vatIdChecks', { where, orderBy: ['customerId', 'id'] });
  return new Map(
    answers
      .filter(({ customerId, vatId }) => values.get(customerId) === vatId)
      .map((each) => [each.customerId, each]),
  );
}

function examineOne(
  { vatIdCheck: check, vatIdStatus, vatIdCheckDueAt }: Row<'customers'>,
  answer: Evidence | undefined,
): string | undefined {
  const expected = check?.status ?? (vatIdCheckDueAt === null ? null : 'unavailable');
  if (vatIdStatus !== expected)
    return `has a VAT id that is ${vatIdStatus ?? 'not checked'} in lists, but ${expected ?? 'not checked'} by its check`;
  if (!check || !answer) return undefined;
  const isSame = answer.status === check.status && answer.checkedAt === check.checkedAt;
  return isSame ? undefined : `has a check that is ${check.status}, but VIES last answered ${answer.status}`;
}
