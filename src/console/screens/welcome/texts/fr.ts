import type { en } from './en.ts';

export const fr: typeof en = {
  title: 'Ajouter une clé d’accès ou définir un mot de passe',
  text: 'Le lien que vous avez ouvert ne servait qu’une fois. Choisissez comment vous vous connecterez désormais et confirmerez ce qui est sensible, comme les remboursements et les clés.',
  later: 'Pas maintenant',
  laterText:
    'Vous pourrez le faire plus tard dans « Votre compte ». Les remboursements, clés, exports et opérateurs le demanderont après dix minutes.',
};
