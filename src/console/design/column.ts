import type { ReactNode } from 'react';
import type { CsvValue } from '../data/csv.ts';

/** A column of a list. */
export interface Column<Row> {
  id: string;
  header: string;
  cell: (row: Row) => ReactNode;
  /** The value in a CSV file. Money as it is, times as ISO 8601. */
  csv: (row: Row) => CsvValue;
  align?: 'end';
  /** Pixels. Default: 160. */
  width?: number;
  /** Shown only when chosen. */
  hidden?: boolean;
}
