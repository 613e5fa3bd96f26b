/** Where a line of text may end, by the classes of UAX 14 as far as documents need them. */

/** After spaces and after some punctuation. */
const breakable = /[ \u1680\u2000-\u2006\u2008-\u200B\u205F\u3000]+|[-–—/·|]+(?=[^\s\d])/g;
/** Han characters, kana, and punctuation and forms of their width: a line may end beside each. */
const ideographic =
  /[\u2E80-\u2FFF\u3001-\u30FF\u3105-\u312F\u3190-\u4DBF\u4E00-\u9FFF\uF900-\uFAFF\uFE30-\uFE4F\uFF01-\uFF9F\u{20000}-\u{3FFFF}]/u;
/** Characters that never begin a line: closing punctuation, small kana and marks. */
const neverFirst =
  /[\s!%),.:;?\]}\u00B0\u2019\u201D\u2025\u2026\u2030\u2103\u3001\u3002\u3005\u3009\u300B\u300D\u300F\u3011\u3015\u3017\u3019\u301B\u301C\u301F\u303B\u3041\u3043\u3045\u3047\u3049\u3063\u3083\u3085\u3087\u308E\u3095\u3096\u3099-\u309E\u30A0\u30A1\u30A3\u30A5\u30A7\u30A9\u30C3\u30E3\u30E5\u30E7\u30EE\u30F5\u30F6\u30FB-\u30FE\uFF01\uFF05\uFF09\uFF0C\uFF0E\uFF1A\uFF1B\uFF1F\uFF3D\uFF5D\uFF60-\uFF65\uFF9E\uFF9F]|\p{M}|[\u200D\u2060]/u;
/** Characters that never end a line: opening punctuation. */
const neverLast =
  /[\s([{\u00A3\u00A5\u2018\u201C\u3008\u300A\u300C\u300E\u3010\u3014\u3016\u3018\u301A\u301D\uFF08\uFF3B\uFF5B\uFF5F\uFF62\u2060]/u;
/** Scripts that write words without spaces, whose words are in a dictionary of the runtime. */
const unspaced = /[\u0E00-\u0EFF\u1000-\u109F\u1780-\u17FF]+/g;
const isWithoutSpaces = /[\u0E00-\u0EFF\u1000-\u109F\u1780-\u17FF\u2E80-\uFFFF]/;
const words = new Intl.Segmenter('th', { granularity: 'word' });

/** Lists the parts between which a line may end. Spaces belong to the word before them. */
export function* listWords(text: string): Generator<[from: number, to: number]> {
  let from = 0;
  for (const end of listBreaks(text)) {
    yield [from, end];
    from = end;
  }
  if (from < text.length) yield [from, text.length];
}

/** Lists the places where a line may end, in order. */
function listBreaks(text: string): number[] {
  const ends = Array.from(text.matchAll(breakable), ({ index, 0: found }) => index + found.length);
  if (!isWithoutSpaces.test(text)) return ends;
  for (const { index, 0: run } of text.matchAll(unspaced))
    for (const { index: at } of words.segment(run)) if (at > 0) ends.push(index + at);
  return [...new Set([...ends, ...findIdeographicBreaks(text)])].toSorted((one, other) => one - other);
}

function* findIdeographicBreaks(text: string): Generator<number> {
  let at = 0;
  let last = '';
  for (const character of text) {
    const isBeside = last !== '' && (ideographic.test(last) || ideographic.test(character));
    if (isBeside && !neverFirst.test(character) && !neverLast.test(last)) yield at;
    at += character.length;
    last = character;
  }
}
