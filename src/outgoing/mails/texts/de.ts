import type { MailTexts } from './types.ts';

const one = { Daily: 'pro Tag', Weekly: 'pro Woche', Monthly: 'pro Monat', Yearly: 'pro Jahr' } as const;
const many = { Daily: 'Tage', Weekly: 'Wochen', Monthly: 'Monate', Yearly: 'Jahre' } as const;

export const de: MailTexts = {
  mails: {
    receipt: {
      subject: 'Ihre Zahlungsbestätigung von {merchant.name}',
      heading: 'Vielen Dank für Ihre Zahlung',
      body: 'Guten Tag {customer.name},\n\nwir haben Ihre Zahlung über {invoice.total} erhalten. Falls eine Rechnung angehängt ist, bewahren Sie sie für Ihre Unterlagen auf.',
      action: 'Rechnungen ansehen',
    },
    invoice_issued: {
      subject: 'Rechnung {invoice.number} von {merchant.name}',
      heading: 'Ihre Rechnung',
      body: 'Guten Tag {customer.name},\n\nbitte überweisen Sie {invoice.total} bis zum {invoice.dueDate}. Geben Sie die Referenz an, damit wir Ihre Zahlung zuordnen können.',
      action: 'Rechnung ansehen',
    },
    invoice_overdue: {
      subject: 'Erinnerung: Rechnung {invoice.number} von {merchant.name} ist überfällig',
      heading: 'Ihre Rechnung ist überfällig',
      body: 'Guten Tag {customer.name},\n\nder Betrag von {invoice.total} war am {invoice.dueDate} fällig und ist noch nicht eingegangen. Falls Sie inzwischen gezahlt haben, betrachten Sie diese Nachricht als gegenstandslos.',
      action: 'Rechnung ansehen',
    },
    payment_failed: {
      subject: 'Ihre Zahlung an {merchant.name} ist fehlgeschlagen',
      heading: 'Ihre Zahlung ist fehlgeschlagen',
      body: 'Guten Tag {customer.name},\n\nwir konnten {invoice.total} nicht von Ihrem Zahlungsmittel abbuchen. Bitte aktualisieren Sie es, damit Ihr Abonnement bestehen bleibt.',
      action: 'Zahlungsmittel aktualisieren',
    },
    payment_method_expiring: {
      subject: 'Ihre Karte bei {merchant.name} läuft bald ab',
      heading: 'Ihre Karte läuft bald ab',
      body: 'Guten Tag {customer.name},\n\n{paymentMethod.name} läuft {paymentMethod.expiry} ab. Bitte hinterlegen Sie vor der nächsten Zahlung eine neue Karte.',
      action: 'Zahlungsmittel aktualisieren',
    },
    trial_ending: {
      subject: 'Ihre Probezeit für {subscription.product} endet am {trial.endDate}',
      heading: 'Ihre Probezeit endet bald',
      body: 'Guten Tag {customer.name},\n\nIhre Probezeit für {subscription.product} endet am {trial.endDate}. Danach beginnt das kostenpflichtige Abonnement, sofern Sie nicht vorher kündigen.',
      action: 'Abonnement verwalten',
    },
    renewal_upcoming: {
      subject: '{subscription.product} verlängert sich am {subscription.renewalDate}',
      heading: 'Ihr Abonnement verlängert sich bald',
      body: 'Guten Tag {customer.name},\n\nIhr Abonnement {subscription.product} verlängert sich automatisch am {subscription.renewalDate}. Sie können es vorher kündigen.',
      action: 'Abonnement verwalten',
    },
    plan_changed: {
      subject: 'Ihr Tarif ist jetzt {subscription.product}',
      heading: 'Ihr Tarif wurde geändert',
      body: 'Guten Tag {customer.name},\n\nIhr Abonnement wurde auf {subscription.product} umgestellt.',
      action: 'Abonnement verwalten',
    },
    plan_change_scheduled: {
      subject: 'Ihr Tarif wechselt zu {subscription.product}',
      heading: 'Ihr Tarif wird geändert',
      body: 'Guten Tag {customer.name},\n\nIhr Abonnement wird auf {subscription.product} umgestellt. Bis dahin ändert sich nichts.',
      action: 'Abonnement verwalten',
    },
    cancelled: {
      subject: 'Ihr Abonnement {subscription.product} ist beendet',
      heading: 'Ihr Abonnement ist beendet',
      body: 'Guten Tag {customer.name},\n\nIhr Abonnement {subscription.product} ist beendet und wird nicht mehr verlängert.',
      action: 'Rechnungen ansehen',
    },
    cancellation_scheduled: {
      subject: 'Ihr Abonnement {subscription.product} ist gekündigt',
      heading: 'Ihre Kündigung ist bestätigt',
      body: 'Guten Tag {customer.name},\n\nIhr Abonnement {subscription.product} ist gekündigt und endet am {subscription.endDate}. Bis dahin können Sie es nutzen.',
      action: 'Abonnement verwalten',
    },
    portal_code: {
      subject: '{code} ist Ihr Code für {merchant.name}',
      heading: 'Ihr Anmeldecode',
      body: 'Geben Sie diesen Code ein, um sich anzumelden. Er gilt 10 Minuten.\n\nFalls Sie ihn nicht angefordert haben, ignorieren Sie diese Nachricht. Niemand von {merchant.name} wird Sie je nach diesem Code fragen.',
      action: null,
    },
    test: {
      subject: 'Testnachricht von {merchant.name}',
      heading: 'Der Versand funktioniert',
      body: 'Dies ist ein Test. Nachrichten von {merchant.name} erreichen diese Adresse.',
      action: null,
    },
  },
  labels: {
    'invoice.number': 'Rechnung',
    'invoice.total': 'Gesamtbetrag',
    'invoice.date': 'Datum',
    'invoice.dueDate': 'Fällig am',
    'payment.reason': 'Grund',
    'payment.nextAttempt': 'Nächster Versuch',
    'paymentMethod.name': 'Zahlungsmittel',
    'paymentMethod.expiry': 'Gültig bis',
    'subscription.product': 'Abonnement',
    'subscription.price': 'Preis',
    'subscription.renewalDate': 'Nächste Verlängerung',
    'subscription.endDate': 'Ende',
    'subscription.changeDate': 'Änderung am',
    'trial.endDate': 'Probezeit endet am',
    'bank.accountHolder': 'Kontoinhaber',
    'bank.iban': 'IBAN',
    'bank.accountNumber': 'Kontonummer',
    'bank.bic': 'BIC',
    'bank.name': 'Bank',
    'bank.reference': 'Referenz',
  },
  reasons: {
    insufficient_funds: 'Das Konto ist nicht gedeckt',
    expired: 'Die Karte ist abgelaufen',
    confirmation: 'Ihre Bank verlangt eine Bestätigung der Zahlung',
    declined: 'Von Ihrer Bank abgelehnt',
  },
  methods: { card: 'Karte', sepa_debit: 'SEPA-Lastschrift', other: 'Zahlungsmittel' },
  every: (price, frequency, count) =>
    count === '1' ? `${price} ${one[frequency]}` : `${price} alle ${count} ${many[frequency]}`,
  sentBy: (merchant) => `${merchant} hat Ihnen diese Nachricht zu Ihrem Kauf gesendet.`,
  questions: 'Fragen?',
  terms: 'AGB',
  privacy: 'Datenschutz',
  link: 'Oder öffnen Sie diese Adresse:',
};
