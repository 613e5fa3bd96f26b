import { useScreenQuery } from '../../data/query.tsx';
import { useTenant } from '../../data/session.tsx';
import { useStored } from '../../data/stored.ts';
import { Button } from '../../design/Button.tsx';
import { Note } from '../../design/Feedback.tsx';
import { useFormat } from '../../texts/format.ts';
import { useTexts } from '../../texts/language.tsx';
import { SellerCountryQuery } from './query.ts';
import { texts } from './texts.ts';

/**
 * Tells a seller whose country asks for more than a file what to do instead (docs/documents.md), until somebody puts it away in this
 * browser. Another country brings it back.
 */
export function CountryNote() {
  const t = useTexts(texts);
  const format = useFormat();
  const { alias } = useTenant();
  const [hiddenFor, setHiddenFor] = useStored(`countryNoteHidden:${alias}`, '');
  const { data } = useScreenQuery(SellerCountryQuery, {}, { types: ['TenantEvent'] });
  const country = data?.tenant?.seller?.address?.country ?? '';
  const steps: Partial<Record<string, string>> = t.countrySteps;
  if (hiddenFor === country || !Object.hasOwn(steps, country)) return null;
  return (
    <Note tone="late">
      <div>
        <strong>{t.countryNote(format.country(country))}</strong>
        <p>{steps[country]}</p>
        <Button look="quiet" onClick={() => setHiddenFor(country)}>
          {t.understood}
        </Button>
      </div>
    </Note>
  );
}
