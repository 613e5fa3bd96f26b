/** The columns that the lists of records of customers share. */
import type { Column } from '../design/column.ts';
import { Id, Nothing } from '../design/Values.tsx';

/** Returns the column with the name of the customer, which `read` returns; empty if there is none. */
export const customerColumn = <Row,>(header: string, read: (row: Row) => string): Column<Row> => ({
  id: 'customer',
  header,
  cell: (row) => read(row) || <Nothing />,
  csv: read,
  width: 190,
});

/** Returns the hidden column with the currency, in lower case in files. */
export const currencyColumn = <Row,>(header: string, read: (row: Row) => string): Column<Row> => ({
  id: 'currency',
  header,
  cell: (row) => read(row).toUpperCase(),
  csv: read,
  hidden: true,
  width: 90,
});

/** Returns the hidden column with the id of the record or of another one; null if there is no other. */
export const idColumn = <Row,>(
  id: string,
  header: string,
  read: (row: Row) => string | null,
): Column<Row> => ({
  id,
  header,
  cell: (row) => {
    const found = read(row);
    return found ? <Id id={found} /> : <Nothing />;
  },
  csv: read,
  hidden: true,
});
