/** The answers of VIES about VAT ids, kept as evidence of bills that are charged in reverse. */
import type { VatIdAnswer } from '../../providers/vies.ts';
import type { Row } from '../../storage/model/rowTypes.ts';
import { readPage, type Page, type PageArgs } from '../../tenancy/pagination.ts';
import type { TenantScope } from '../../tenancy/tenantScope.ts';
import type { UnitOfWork } from '../../tenancy/unitOfWork.ts';

export type VatIdEvidenceRow = Row<'vatIdChecks'>;

/** Keeps an answer about an id of a customer. */
export const keepEvidence = async (
  unit: UnitOfWork,
  customerId: string,
  { vatId, requester = null }: { vatId: string; requester: string | undefined | null },
  answer: VatIdAnswer & Pick<VatIdEvidenceRow, 'status'>,
): Promise<unknown> =>
  unit.insertUntraced('vatIdChecks', {
    id: unit.id('vic'),
    customerId,
    vatId,
    requester,
    status: answer.status,
    checkedAt: unit.now,
    consultation: answer.consultation,
    name: answer.name,
    address: answer.address,
  });

/** Lists the answers about the ids of a customer; newest first by default. Error: `cursor_invalid`. */
export const listEvidence = (
  tenant: TenantScope,
  customerId: string,
  args: PageArgs,
): Promise<Page<VatIdEvidenceRow>> =>
  readPage(tenant, { name: 'vatIdEvidence', table: 'vatIdChecks', where: { customerId }, by: ['id'] }, args);
