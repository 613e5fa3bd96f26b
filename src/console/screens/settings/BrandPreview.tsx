import { Status } from '../../design/Status.tsx';
import { useFormat } from '../../texts/format.ts';
import { useTexts } from '../../texts/language.tsx';
import { texts } from './texts.ts';

/** A button in the colour of the brand, and how well its text can be read. */
export function BrandPreview({ color, name }: { color: string; name: string }) {
  const t = useTexts(texts);
  const format = useFormat();
  if (!/^#[0-9a-f]{6}$/i.test(color)) return null;
  const luminance = computeLuminance(color);
  const [onWhite, onBlack] = [1.05 / (luminance + 0.05), (luminance + 0.05) / 0.05];
  const best = Math.max(onWhite, onBlack);
  const ratio = format.number(best, { maximumFractionDigits: 1 });
  return (
    <div className="brand-preview">
      <span
        className="brand-sample"
        style={{ background: color, color: onWhite >= onBlack ? '#ffffff' : '#000000' }}
      >
        {t.payTo(name)}
      </span>
      <Status tone={onWhite >= 4.5 ? 'good' : 'late'}>
        {onWhite >= 4.5
          ? t.readable(ratio)
          : t.adjusted(format.number(onWhite, { maximumFractionDigits: 1 }))}
      </Status>
    </div>
  );
}

/** The relative luminance of WCAG 2. */
function computeLuminance(color: string): number {
  const [red, green, blue] = [1, 3, 5].map((start) => {
    const share = Number.parseInt(color.slice(start, start + 2), 16) / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  }) as [number, number, number];
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}
