/** The fonts of scripts that few documents have: which of them a document needs, and in which order they are searched. */
import { parseLocale } from '../lib/language.ts';
import type { DocumentRecord } from './record.ts';
import { isSwissIban } from './swissQrCode.ts';

/** `chinese` has all Han characters; the other East Asian fonts have those that their readers write differently. */
export type ScriptFont =
  | 'thai'
  | 'bengali'
  | 'tamil'
  | 'georgian'
  | 'armenian'
  | 'symbols'
  | 'emoji'
  | 'chinese'
  | 'chineseTraditional'
  | 'japanese'
  | 'korean'
  /** The font of Swiss payment slips. */
  | 'slip';

type HanFont = 'chinese' | 'chineseTraditional' | 'japanese' | 'korean';

const kana = /[\u3040-\u30FF\u31F0-\u31FF\uFF66-\uFF9F]/;
const hangul = /[\u1100-\u11FF\u3130-\u318F\uA960-\uA97F\uAC00-\uD7FF]/;
const eastAsian =
  /[\u1100-\u11FF\u2E80-\u9FFF\uA960-\uA97F\uAC00-\uD7FF\uF900-\uFAFF\uFE30-\uFE4F\uFF00-\uFFEF]|[\u{20000}-\u{3FFFF}]/u;

/** The characters (graphemes) of which a font may have glyphs. */
export const coveredBy: Record<Exclude<ScriptFont, 'slip'>, RegExp> = {
  thai: /[\u0E00-\u0E7F]/,
  bengali: /[\u0980-\u09FF]/,
  tamil: /[\u0B80-\u0BFF]/,
  georgian: /[\u10A0-\u10FF\u1C90-\u1CBF\u2D00-\u2D2F]/,
  armenian: /[\u0530-\u058F\uFB13-\uFB17]/,
  symbols: /[\u2000-\u2E7F]/,
  emoji: /\p{Extended_Pictographic}|\p{Emoji_Modifier}|\p{Regional_Indicator}|\u20E3/u,
  chinese: eastAsian,
  chineseTraditional: eastAsian,
  japanese: eastAsian,
  korean: eastAsian,
};

/** Emoji that other fonts may have as symbols. */
export const isEmoji = /\p{Emoji_Presentation}|\p{Emoji_Modifier}|\p{Regional_Indicator}|[\u20E3\uFE0F]/u;

/** Characters that the common fonts lack: they have the letters of Europe, Hebrew, Arabic and Devanagari. */
const isUncommon =
  /[^ -\u052F\u0590-\u097F\u1E00-\u1FFF\u2010-\u2027\u202F-\u205E\u20A0-\u20CF\u2116\u2122\u2212\u2066-\u2069]/;

/** Lists the fonts that a document needs besides the common ones, in the order in which they are searched. */
export const listScriptFonts = (record: DocumentRecord): ScriptFont[] => [
  ...listFontsOfText(record),
  ...(isSwissIban(record.payment.bankAccount?.iban ?? '') ? (['slip'] as const) : []),
];

/** The fonts that are chosen by their characters alone. */
const smallFonts = ['thai', 'bengali', 'tamil', 'georgian', 'armenian', 'symbols', 'emoji'] as const;

function listFontsOfText(record: DocumentRecord): ScriptFont[] {
  const text = JSON.stringify({ ...record, seller: { ...record.seller, logo: null } });
  if (!isUncommon.test(text)) return [];
  const fonts = smallFonts.filter((name) => coveredBy[name].test(text));
  return eastAsian.test(text) ? [...fonts, ...orderHanFonts(record, text)] : fonts;
}

/** The readers' own forms of the Han characters come first. */
function orderHanFonts(record: DocumentRecord, text: string): HanFont[] {
  const fonts = new Set<HanFont>([chooseHanFont(record, text), 'chinese']);
  if (kana.test(text)) fonts.add('japanese');
  if (hangul.test(text)) fonts.add('korean');
  return [...fonts];
}

const ofCountry: Record<string, HanFont> = {
  JP: 'japanese',
  KR: 'korean',
  KP: 'korean',
  CN: 'chinese',
  SG: 'chinese',
  TW: 'chineseTraditional',
  HK: 'chineseTraditional',
  MO: 'chineseTraditional',
};

/** By the language of the document, else by the country of the customer or the seller, else by other letters of the text. */
function chooseHanFont({ locale, buyer, seller }: DocumentRecord, text: string): HanFont {
  const { language, script, region } = parseLocale(locale)?.maximize() ?? {};
  if (language === 'ja') return 'japanese';
  if (language === 'ko') return 'korean';
  if (script === 'Hant') return 'chineseTraditional';
  if (language === 'zh') return ofCountry[region ?? ''] ?? 'chinese';
  const country = [buyer, seller].map(({ address }) => ofCountry[address?.country ?? '']);
  return country[0] ?? country[1] ?? chooseByLetters(text);
}

function chooseByLetters(text: string): HanFont {
  if (kana.test(text)) return 'japanese';
  return hangul.test(text) ? 'korean' : 'chinese';
}
