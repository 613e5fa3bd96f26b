import type { en } from './en.ts';

export const de: typeof en = {
  title: 'Bei Perennial anmelden',
  signIn: 'Anmelden',
  passkey: 'Mit Passkey anmelden',
  oidc: 'Mit Single Sign-on anmelden',
  oidcFailed: 'Single Sign-on ist nicht gelungen. Versuchen Sie es erneut oder auf einem anderen Weg.',
  usePassword: 'Passwort verwenden',
  code: 'Code',
  codeHint: 'Die sechs Ziffern Ihrer Authentifizierungs-App',
  recoveryCode: 'Wiederherstellungscode',
  useRecovery: 'Wiederherstellungscode verwenden',
  useCode: 'App verwenden',
  openLink: 'Konsole mit diesem Link öffnen',
  help: 'Kein Zugang? Bitten Sie um eine Einladung, oder führen Sie auf dem Server „perennial operator create“ aus.',
};
