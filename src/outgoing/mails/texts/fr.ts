import type { MailTexts } from './types.ts';

const one = { Daily: 'par jour', Weekly: 'par semaine', Monthly: 'par mois', Yearly: 'par an' } as const;
const many = {
  Daily: ['tous les', 'jours'],
  Weekly: ['toutes les', 'semaines'],
  Monthly: ['tous les', 'mois'],
  Yearly: ['tous les', 'ans'],
} as const;

export const fr: MailTexts = {
  mails: {
    receipt: {
      subject: 'Votre reçu de {merchant.name}',
      heading: 'Merci pour votre paiement',
      body: 'Bonjour {customer.firstName},\n\nnous avons bien reçu votre paiement de {invoice.total}. Si une facture est jointe, conservez-la.',
      action: 'Voir les factures',
    },
    invoice_issued: {
      subject: 'Facture {invoice.number} de {merchant.name}',
      heading: 'Votre facture',
      body: 'Bonjour {customer.firstName},\n\nveuillez virer {invoice.total} avant le {invoice.dueDate}. Indiquez la référence, afin que nous puissions identifier votre paiement.',
      action: 'Voir la facture',
    },
    invoice_overdue: {
      subject: 'Rappel : la facture {invoice.number} de {merchant.name} est en retard',
      heading: 'Votre facture est en retard',
      body: 'Bonjour {customer.firstName},\n\nnous n’avons pas encore reçu {invoice.total}, dont l’échéance était le {invoice.dueDate}. Si vous avez payé entre-temps, ne tenez pas compte de ce message.',
      action: 'Voir la facture',
    },
    payment_failed: {
      subject: 'Votre paiement à {merchant.name} a échoué',
      heading: 'Votre paiement a échoué',
      body: 'Bonjour {customer.firstName},\n\nnous n’avons pas pu débiter {invoice.total} de votre moyen de paiement. Mettez-le à jour pour conserver votre abonnement.',
      action: 'Mettre à jour le moyen de paiement',
    },
    payment_method_expiring: {
      subject: 'Votre carte chez {merchant.name} expire bientôt',
      heading: 'Votre carte expire bientôt',
      body: 'Bonjour {customer.firstName},\n\n{paymentMethod.name} expire {paymentMethod.expiry}. Ajoutez une nouvelle carte avant le prochain paiement.',
      action: 'Mettre à jour le moyen de paiement',
    },
    trial_ending: {
      subject: 'Votre essai de {subscription.product} se termine le {trial.endDate}',
      heading: 'Votre essai se termine bientôt',
      body: 'Bonjour {customer.firstName},\n\nvotre essai de {subscription.product} se termine le {trial.endDate}. Votre abonnement payant commence alors, sauf si vous résiliez avant cette date.',
      action: 'Gérer l’abonnement',
    },
    renewal_upcoming: {
      subject: '{subscription.product} se renouvelle le {subscription.renewalDate}',
      heading: 'Votre abonnement se renouvelle bientôt',
      body: 'Bonjour {customer.firstName},\n\nvotre abonnement {subscription.product} se renouvelle automatiquement le {subscription.renewalDate}. Vous pouvez le résilier avant cette date.',
      action: 'Gérer l’abonnement',
    },
    plan_changed: {
      subject: 'Votre formule est maintenant {subscription.product}',
      heading: 'Votre formule a changé',
      body: 'Bonjour {customer.firstName},\n\nvotre abonnement est passé à {subscription.product}.',
      action: 'Gérer l’abonnement',
    },
    plan_change_scheduled: {
      subject: 'Votre formule passera à {subscription.product}',
      heading: 'Votre formule va changer',
      body: 'Bonjour {customer.firstName},\n\nvotre abonnement passera à {subscription.product}. Rien ne change d’ici là.',
      action: 'Gérer l’abonnement',
    },
    cancelled: {
      subject: 'Votre abonnement {subscription.product} est terminé',
      heading: 'Votre abonnement est terminé',
      body: 'Bonjour {customer.firstName},\n\nvotre abonnement {subscription.product} est terminé. Il ne sera plus renouvelé.',
      action: 'Voir les factures',
    },
    cancellation_scheduled: {
      subject: 'Votre abonnement {subscription.product} est résilié',
      heading: 'Votre résiliation est confirmée',
      body: 'Bonjour {customer.firstName},\n\nvotre abonnement {subscription.product} est résilié et se termine le {subscription.endDate}. Vous pouvez l’utiliser jusque-là.',
      action: 'Gérer l’abonnement',
    },
    portal_code: {
      subject: '{code} est votre code pour {merchant.name}',
      heading: 'Votre code de connexion',
      body: 'Saisissez ce code pour vous connecter. Il est valable 10 minutes.\n\nSi vous ne l’avez pas demandé, ignorez ce message. Personne chez {merchant.name} ne vous demandera jamais ce code.',
      action: null,
    },
    test: {
      subject: 'Message de test de {merchant.name}',
      heading: 'L’envoi fonctionne',
      body: 'Ceci est un test. Les messages de {merchant.name} arrivent à cette adresse.',
      action: null,
    },
  },
  labels: {
    'invoice.number': 'Facture',
    'invoice.total': 'Total',
    'invoice.date': 'Date',
    'invoice.dueDate': 'Échéance',
    'payment.reason': 'Motif',
    'payment.nextAttempt': 'Prochaine tentative',
    'paymentMethod.name': 'Moyen de paiement',
    'paymentMethod.expiry': 'Expire fin',
    'subscription.product': 'Abonnement',
    'subscription.price': 'Prix',
    'subscription.renewalDate': 'Prochain renouvellement',
    'subscription.endDate': 'Fin',
    'subscription.changeDate': 'Change le',
    'trial.endDate': 'Fin de l’essai',
    'bank.accountHolder': 'Titulaire du compte',
    'bank.iban': 'IBAN',
    'bank.accountNumber': 'Numéro de compte',
    'bank.bic': 'BIC',
    'bank.name': 'Banque',
    'bank.reference': 'Référence',
  },
  reasons: {
    insufficient_funds: 'Provision insuffisante',
    expired: 'La carte a expiré',
    confirmation: 'Votre banque demande de confirmer le paiement',
    declined: 'Refusé par votre banque',
  },
  methods: { card: 'Carte', sepa_debit: 'Prélèvement SEPA', other: 'Moyen de paiement' },
  every: (price, frequency, count) => {
    const [all, units] = many[frequency];
    return count === '1' ? `${price} ${one[frequency]}` : `${price} ${all} ${count} ${units}`;
  },
  sentBy: (merchant) => `${merchant} vous a envoyé ce message au sujet de votre achat.`,
  questions: 'Des questions ?',
  terms: 'Conditions',
  privacy: 'Confidentialité',
  link: 'Ou ouvrez cette adresse :',
};
