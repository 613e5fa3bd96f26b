import type { ColumnKind } from '../model/columns.ts';
import type { TableName } from '../model/rowTypes.ts';

/** The shape of a result: rows of a table without some columns, at most one of them if `isOne`. */
export interface SelectedRows {
  table: TableName;
  leaveOut: readonly string[];
  /** Columns whose value the caller binds: the name of that value. The statement does not read them. */
  bound?: Readonly<Record<string, string>>;
  isOne: boolean;
}

/** The shape of a result with columns that the statement computes. */
export interface ComputedRows {
  computed: readonly { key: string; kind: ColumnKind }[];
}

/** What a statement returns: rows, or the number of changed rows; absent for values that Drizzle reads. */
export type StatementResult = SelectedRows | ComputedRows | 'changes';
