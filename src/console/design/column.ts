import type { ReactNode } from 'react';

/** A column of a list. */
export interface Column<Row> {
  id: string;
  header: string;
  cell: (row: Row) => ReactNode;
  /** The value in a CSV file. Money as its decimal, times as ISO 8601. */
  csv: (row: Row) => string | number | null | undefined;
  align?: 'end';
  /** Pixels. Default: 160. */
  width?: number;
  /** Shown only when chosen. */
  hidden?: boolean;
}
