import type { en } from './en.ts';

export const fr: typeof en = {
  title: 'Se connecter à Perennial',
  signIn: 'Se connecter',
  passkey: 'Se connecter avec une clé d’accès',
  oidc: 'Se connecter par authentification unique',
  oidcFailed: 'L’authentification unique a échoué. Réessayez ou choisissez un autre moyen.',
  usePassword: 'Utiliser un mot de passe',
  code: 'Code',
  codeHint: 'Les six chiffres de votre application d’authentification',
  recoveryCode: 'Code de récupération',
  useRecovery: 'Utiliser un code de récupération',
  useCode: 'Utiliser l’application',
  openLink: 'Ouvrir la console avec ce lien',
  help: 'Pas d’accès ? Demandez une invitation, ou exécutez « perennial operator create » sur le serveur.',
};
