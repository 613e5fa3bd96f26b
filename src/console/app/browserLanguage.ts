/**
 * Gives the browser a language that `Intl` knows: on a system without one (`LANG=C`), Chromium says `en-US@posix`, with
 * which the charts would fail as they are loaded.
 */
export function correctBrowserLanguage(): void {
  try {
    Intl.getCanonicalLocales(navigator.language);
  } catch {
    Object.defineProperty(navigator, 'language', { value: 'en', configurable: true });
  }
}
