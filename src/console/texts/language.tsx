import { createContext, useContext, useEffect, useMemo, type ReactNode } from 'react';
import { useStored } from '../data/stored.ts';

/** The languages of the console, by their own names. */
export const languages = { en: 'English', de: 'Deutsch', fr: 'Français', fa: 'فارسی' } as const;
export type Language = keyof typeof languages;

/** Returns the direction in which a language is written. */
export const getDirection = (language: Language): 'ltr' | 'rtl' => (language === 'fa' ? 'rtl' : 'ltr');

type Text = string | ((...values: never[]) => string);
/** The texts in another language: the same names, with strings for strings and functions for functions. */
type Translation<T> = { [Name in keyof T]: T[Name] extends string ? string : T[Name] };

/** Texts in all languages; a missing one does not compile. */
export interface Texts<T> {
  en: T;
  de: Translation<T>;
  fr: Translation<T>;
  fa: Translation<T>;
}

/** Declares the texts of a screen. A text with values in it is a function. */
export const defineTexts = <T extends Record<string, Text>>(texts: Texts<T>): Texts<T> => texts;

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
export function useTexts<T>(texts: Texts<T>): Translation<T> {
  const { language } = useLanguage();
  return texts[language] as Translation<T>;
}
