import type { en } from './en.ts';

export const de: typeof en = {
  title: 'Passkey hinzufügen oder Passwort festlegen',
  text: 'Der Link, den Sie geöffnet haben, galt einmal. Wählen Sie, wie Sie sich künftig anmelden und Heikles bestätigen, etwa Erstattungen und Schlüssel.',
  later: 'Jetzt nicht',
  laterText:
    'Das geht auch später unter „Ihr Konto“. Erstattungen, Schlüssel, Exporte und Benutzer verlangen es nach zehn Minuten.',
};
