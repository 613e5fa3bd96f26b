import { isDeepStrictEqual } from 'node:util';
import type { Row, TableName } from '../storage/model/rowTypes.ts';

/** The tables whose changes in a unit are kept until its end, because revenue figures follow from them. */
type KeptTable = 'subscriptions' | 'discounts' | 'invoices' | 'payments' | 'creditNotes';

const keptTables: ReadonlySet<string> = new Set<KeptTable>([
  'subscriptions',
  'discounts',
  'invoices',
  'payments',
  'creditNotes',
]);

/** A record before and after a unit; `before` is undefined for one that the unit created. */
export interface ChangedRecord<Name extends TableName> {
  before: Row<Name> | undefined;
  after: Row<Name>;
  /** The action with which the unit created it. */
  createdBy?: string;
}

/** The records that a unit of work has created or changed, in that order, with their first and last state. */
export class ChangedRecords {
  private readonly byTable = new Map<string, Map<string, ChangedRecord<any>>>();

  /** Keeps a change of a record, if changes of its table are kept. */
  add(name: TableName, id: string, change: ChangedRecord<any>): void {
    if (!keptTables.has(name)) return;
    let records = this.byTable.get(name);
    if (!records) this.byTable.set(name, (records = new Map()));
    const known = records.get(id);
    if (known) known.after = change.after;
    else records.set(id, change);
  }

  /** Lists the kept changes of a table. */
  list<Name extends KeptTable>(name: Name): ChangedRecord<Name>[] {
    const records = this.byTable.get(name);
    return records ? [...records.values()] : [];
  }
}

/** Whether changes would change a record. */
export function differs<R extends object>(before: R, changes: Partial<R>): boolean {
  for (const key in changes) {
    const [was, is] = [before[key], changes[key]];
    if (was !== is && !isDeepStrictEqual(was, is)) return true;
  }
  return false;
}
