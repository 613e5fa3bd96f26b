import { graphql, type FragmentOf } from '../data/graphql.ts';
import type { Filter } from '../design/filters.tsx';
import { Status } from '../design/Status.tsx';
import { When } from '../design/Values.tsx';
import { useFormat } from '../texts/format.ts';
import { useTexts } from '../texts/language.tsx';
import { texts } from './texts.ts';

export const LocationFields = graphql(`
  fragment LocationFields on LocationEvidence {
    kind
    country
    at
  }
`);

type Piece = FragmentOf<typeof LocationFields>;

/** The filter of invoices by what is wrong with the evidence of where their customers are. */
export function useEvidenceFilter(): Filter {
  const { location: t } = useTexts(texts);
  const choices = (['contradictory', 'insufficient'] as const).map((value) => ({ value, label: t[value] }));
  return { name: 'evidenceGap', label: t.title, choices };
}

interface LocationPiecesProps {
  pieces: readonly Piece[];
  /** The kinds that show the country whose tax applies; undefined if there is no tax to compare with. */
  agreeing?: readonly string[];
}

/** Where a customer is, by their address, their IP address and their card. */
export function LocationPieces({ pieces, agreeing }: LocationPiecesProps) {
  const { location: t } = useTexts(texts);
  const format = useFormat();
  return pieces.map(({ kind, country, at }) => (
    <div key={kind}>
      {t[kind]}: {format.country(country)}
      {agreeing && !agreeing.includes(kind) && ` (${t.other})`}
      {at && (
        <>
          {', '}
          <When at={at} />
        </>
      )}
    </div>
  ));
}

interface InvoiceEvidence {
  pieces: readonly Piece[];
  agreeing: readonly string[];
  gap: 'contradictory' | 'insufficient' | null;
}

/** The evidence of an invoice as a fact; none without a tax that depends on it. */
export function useEvidenceFact(evidence: InvoiceEvidence | null): [string, React.ReactNode] {
  const { location: t } = useTexts(texts);
  if (!evidence) return [t.title, undefined];
  const { gap } = evidence;
  return [
    t.title,
    <>
      {gap && <Status tone={gap === 'contradictory' ? 'bad' : 'late'}>{t[gap]}</Status>}
      <LocationPieces {...evidence} />
    </>,
  ];
}
