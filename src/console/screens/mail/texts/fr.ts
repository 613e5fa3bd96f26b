import type { en } from './en.ts';

export const fr: typeof en = {
  parent: 'E-mails',
  mail: 'E-mail',
  recipient: 'À',
  finished: 'Terminé',
  resend: 'Renvoyer',
  resent: 'Renvoi en cours',
  content: 'Contenu',
  composedNow:
    'Composé maintenant à partir des données et des textes actuels ; l’e-mail envoyé a pu être différent.',
  asSentNow: 'Tel qu’il serait envoyé maintenant.',
  gone: 'Aucun contenu : l’objet de cet e-mail a été supprimé, ou les données du client ont été effacées.',
  kept: 'Conservé ici : un espace de test n’envoie qu’à son adresse de test, et n’en a pas.',
  secretsHidden: 'Les codes et les liens sont masqués.',
  secretsShown: 'Les codes et les liens fonctionnent : c’est un espace de test.',
  plainText: 'Texte',
  attachments: 'Pièces jointes :',
};
