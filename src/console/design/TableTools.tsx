import { useRef, useState } from 'react';
import { useClient, type AnyVariables, type TypedDocumentNode } from 'urql';
import { useRefusal } from '../app/permissions.ts';
import { useRecentProof } from '../app/StepUp.tsx';
import { exportCsv, useCsvStyle } from '../data/csv.ts';
import type { Problem } from '../data/errors.ts';
import type { Connection } from '../data/pages.ts';
import { useTenant } from '../data/session.tsx';
import { useFormat } from '../texts/format.ts';
import { useTexts } from '../texts/language.tsx';
import { Button } from './Button.tsx';
import type { Column } from './column.ts';
import { Dialog } from './Dialog.tsx';
import { ProblemNote } from './Feedback.tsx';
import { Filters, type Filter } from './filters.tsx';
import { Menu } from './Menu.tsx';
import { texts } from './texts.ts';
import { useToast } from './Toasts.tsx';
import { Views } from './Views.tsx';

interface TableToolsProps<Data, Variables extends AnyVariables, Row> {
  name: string;
  document: TypedDocumentNode<Data, Variables>;
  connection: (data: Data) => Connection<Row> | null | undefined;
  variables: Record<string, unknown>;
  columns: Column<Row>[];
  shown: Column<Row>[];
  chooseColumns: (ids: string[]) => void;
  filters: Filter[];
  pages: { rows: Row[]; total: number | undefined };
  /** Whether the oldest come first, and a function that changes it. */
  order: [boolean, (ascending: boolean) => void] | undefined;
}

/** The line above a list: its filters, how much of it is loaded, its order and columns, and the export. */
export function TableTools<Data, Variables extends AnyVariables, Row>(
  props: TableToolsProps<Data, Variables, Row>,
) {
  const { name, columns, shown, chooseColumns, filters, pages, order } = props;
  const t = useTexts(texts);
  const format = useFormat();
  const refusal = useRefusal('export_data');
  const [exporting, setExporting] = useState(false);
  const ids = shown.map(({ id }) => id);
  const toggle = (id: string) => {
    const wanted = ids.includes(id) ? ids.filter((each) => each !== id) : [...ids, id];
    if (wanted.length > 0)
      chooseColumns(columns.map((each) => each.id).filter((each) => wanted.includes(each)));
  };
  return (
    <div className="table-tools">
      {filters.length > 0 && <Filters filters={filters} />}
      <div className="table-tools-end">
        {pages.total !== undefined && (
          <small className="soft">
            {t.rows(format.number(pages.rows.length), format.number(pages.total))}
          </small>
        )}
        {order && (
          <Button look="quiet" icon="sort" onClick={() => order[1](!order[0])}>
            {order[0] ? t.oldestFirst : t.newestFirst}
          </Button>
        )}
        <Views list={name} />
        <Menu
          look="quiet"
          icon="columns"
          aria-label={t.columns}
          title={t.columns}
          entries={columns.map(({ id, header }) => ({
            label: header,
            checked: ids.includes(id),
            stays: true,
            onSelect: () => toggle(id),
          }))}
        />
        <Button
          look="quiet"
          icon="download"
          aria-label={t.exportCsv}
          title={t.exportCsv}
          refused={refusal}
          onClick={() => setExporting(true)}
        />
      </div>
      {exporting && <Export {...props} onClose={() => setExporting(false)} />}
    </div>
  );
}

/** Exports every row of the list, with its filters, and every column, so that no amount is without its currency. */
function Export<Data, Variables extends AnyVariables, Row>(
  props: TableToolsProps<Data, Variables, Row> & { onClose: () => void },
) {
  const { name, document, connection, variables, columns, pages, onClose } = props;
  const t = useTexts(texts);
  const format = useFormat();
  const client = useClient();
  const { alias: tenant } = useTenant();
  const toast = useToast();
  const prove = useRecentProof();
  const style = useCsvStyle();
  const [done, setDone] = useState(0);
  const [problem, setProblem] = useState<Problem>();
  const stop = useRef<AbortController>(undefined);
  const begin = async () => {
    if (!(await prove())) return;
    const controller = (stop.current = new AbortController());
    setProblem(undefined);
    const options = { client, tenant, name, document, connection, variables, columns, style };
    const outcome = await exportCsv({ ...options, signal: controller.signal, onProgress: setDone });
    if (controller.signal.aborted) return;
    if (typeof outcome === 'object') return setProblem(outcome);
    toast(t.exported(format.number(outcome)));
    onClose();
  };
  const cancel = () => {
    stop.current?.abort();
    onClose();
  };
  const total = pages.total ?? pages.rows.length;
  const started = stop.current !== undefined && !problem;
  return (
    <Dialog
      title={t.exportCsv}
      onClose={cancel}
      actions={
        <>
          <Button onClick={cancel}>{t.cancel}</Button>
          <Button look="main" busy={started} onClick={() => void begin()}>
            {t.exportCsv}
          </Button>
        </>
      }
    >
      {problem && <ProblemNote problem={problem} />}
      <p role="status">
        {started
          ? t.exporting(format.number(done), format.number(total))
          : `${format.number(total)} × ${columns.map(({ header }) => header).join(', ')}`}
      </p>
      <progress value={done} max={Math.max(total, 1)} aria-label={t.exportCsv} />
    </Dialog>
  );
}
