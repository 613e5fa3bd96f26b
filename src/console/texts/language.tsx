import { createContext, useContext, useEffect, useMemo, type ReactNode } from 'react';
import { useStored } from '../data/stored.ts';
import { de } from './de.ts';
import { en } from './en.ts';
import { fa } from './fa.ts';
import { fr } from './fr.ts';

/** The languages of the console, by their own names. */
export const languages = { en: 'English', de: 'Deutsch', fr: 'Français', fa: 'فارسی' } as const;
export type Language = keyof typeof languages;

/** Returns the direction in which a language is written. */
export const getDirection = (language: Language): 'ltr' | 'rtl' => (language === 'fa' ? 'rtl' : 'ltr');

/** Texts in all languages, by the type of the English ones. */
type Texts<T> = Record<Language, T>;

type Words = typeof en.words;
type WithWords<T> = Omit<Words, keyof T> & T;

/**
 * Declares the texts of a screen, to which the words that many screens have are added. A text with values in it is a
 * function.
 */
export const defineTexts = <T extends object>(texts: Texts<T>): Texts<WithWords<T>> => ({
  en: { ...en.words, ...texts.en },
  de: { ...de.words, ...texts.de },
  fr: { ...fr.words, ...texts.fr },
  fa: { ...fa.words, ...texts.fa },
});

/** Declares texts in groups, each of which is used like the texts of a screen. */
export function defineTextGroups<Groups extends Record<string, object>>(texts: Texts<Groups>) {
  const define = (name: string) =>
    defineTexts({
      en: texts.en[name]!,
      de: texts.de[name]!,
      fr: texts.fr[name]!,
      fa: texts.fa[name]!,
    });
  const groups = Object.keys(texts.en).map((name) => [name, define(name)]);
  return Object.fromEntries(groups) as { [Name in keyof Groups]: Texts<WithWords<Groups[Name]>> };
}

interface LanguageSetting {
  language: Language;
  setLanguage: (language: Language) => void;
}

const LanguageContext = createContext<LanguageSetting>({ language: 'en', setLanguage: () => undefined });

/** Gives the screens below the language that the operator chose, at first that of the browser. */
export function LanguageProvider({ children }: { children: ReactNode }) {
  const [stored, setLanguage] = useStored<Language>('language', findBrowserLanguage());
  const language = stored in languages ? stored : 'en';
  useEffect(() => {
    document.documentElement.lang = language;
    document.documentElement.dir = getDirection(language);
  }, [language]);
  const setting = useMemo(() => ({ language, setLanguage }), [language, setLanguage]);
  return <LanguageContext value={setting}>{children}</LanguageContext>;
}

const findBrowserLanguage = (): Language =>
  navigator.languages.map((each) => each.slice(0, 2)).find((each): each is Language => each in languages) ??
  'en';

/** Returns the language and a function that changes it. */
export const useLanguage = (): LanguageSetting => useContext(LanguageContext);

/** Returns texts in the operator's language. */
export const useTexts = <T,>(texts: Texts<T>): T => texts[useLanguage().language];
