import type { en } from './en.ts';

export const de: typeof en = {
  hello: 'Hallo {name}',
  subscribe: '{product} abonnieren',
  tryProduct: '{product} testen',
  changeTo: 'Zu {product} wechseln',
  keep: '{product} behalten',

  free: 'Kostenlos',
  every: {
    Daily: { one: '{price} pro Tag', other: '{price} alle {count} Tage' },
    Weekly: { one: '{price} pro Woche', other: '{price} alle {count} Wochen' },
    Monthly: { one: '{price} pro Monat', other: '{price} alle {count} Monate' },
    Yearly: { one: '{price} pro Jahr', other: '{price} alle {count} Jahre' },
  },
  includingTax: 'inklusive Steuern',
  beforeDiscounts: 'vor Rabatten',
  trialUntil: 'Kostenlos testen bis {end}',
  trialBetween: 'Kostenlos testen von {start} bis {end}',
  startsOn: 'Ihr Abonnement beginnt am {date}.',
  partToday: '{amount} heute für die Zeit bis {end}.',
  partLater: '{amount} am {date} für die Zeit bis {end}.',
  laterFee: 'Die erste Zahlung enthält eine Einrichtungsgebühr von {amount}.',
  keepsPlan: 'Sie behalten Ihren Tarif. Die geplante Änderung entfällt.',
  changesLater: 'Bis {date} behalten Sie Ihren jetzigen Tarif.',
  changesNow: 'Der neue Tarif beginnt heute.',
  trialContinues: 'Ihr Testzeitraum läuft weiter bis {date}.',
  byUsage: 'Nach Nutzung',
  usageOf: 'Was Sie von {product} nutzen, wird nach dem Ende jedes Zeitraums berechnet:',
  perUnit: '{price} je Einheit',
  otherUnits: 'sonst {price}',
  usageIncluded: '{count} enthalten',
  usageAtLeast: 'mindestens {amount}',
  usageAtMost: 'höchstens {amount}',

  summary: 'Bestellübersicht',
  unusedTime: 'Nicht genutzte Zeit: {product}',
  remainingTime: 'Verbleibende Zeit: {product}',
  setupFee: '{product}, Einrichtungsgebühr',
  fromBalance: 'Aus Ihrem Guthaben bezahlt',
  leftAsBalance: 'Ihrem Guthaben zugeschlagen',
  quantity: 'Menge {count}',
  units: '{count} × {price}',
  packages: '{count} Einheiten in Paketen zu {size} für je {price}',
  flat: 'zuzüglich {amount}',
  share: '{days} von {total} Tagen zu {price}',
  subtotal: 'Zwischensumme',
  discount: 'Rabatt',
  discountNamed: 'Rabatt: {name}',
  tax: 'Steuer ({percent})',
  taxIncluded: 'Enthaltene Steuer ({percent})',
  reverseCharge: 'Steuer (Reverse Charge)',
  dueToday: 'Heute fällig',
  thenFrom: 'Danach, ab {date}',
  amountsNow: 'Die Beträge sind für den Zeitpunkt Ihrer Zahlung berechnet.',

  code: 'Gutscheincode',
  apply: 'Einlösen',
  codeApplied: 'Code {code}',
  removeCode: 'Code entfernen',

  details: 'Rechnungsangaben',
  companyName: 'Firma (optional)',
  vatId: 'USt-IdNr. (optional)',
  vatIdHint: 'Mit den Buchstaben des Landes, zum Beispiel DE136695976.',
  line1: 'Straße und Hausnummer',
  line2: 'Adresszusatz (optional)',
  postalCode: 'Postleitzahl',
  city: 'Ort',
  region: 'Bundesstaat oder Provinz (falls in Ihrem Land üblich)',
  country: 'Land',
  chooseCountry: 'Land auswählen',
  saveDetails: 'Rechnungsangaben speichern',
  lineProblem: 'Geben Sie eine Zeile mit höchstens 200 Zeichen ein.',
  vatIdProblem: 'Das ist keine USt-IdNr. Prüfen Sie die Ziffern und die Buchstaben davor.',
  vatIdValid: 'VIES hat diese USt-IdNr. bestätigt: Sie schulden die Umsatzsteuer selbst (Reverse Charge).',
  vatIdInvalid:
    'VIES kennt diese USt-IdNr. nicht, daher wird Umsatzsteuer berechnet. Prüfen Sie sie, und speichern Sie erneut.',
  vatIdUnavailable:
    'VIES antwortet zurzeit nicht, daher wird Umsatzsteuer berechnet. Speichern Sie erneut, um die Prüfung zu wiederholen.',

  howToPay: 'Zahlungsmethode',
  sandbox_ok: 'Testkarte: erfolgreich',
  sandbox_okHint: 'Diese und alle späteren Zahlungen gelingen.',
  sandbox_declined: 'Testkarte: abgelehnt',
  sandbox_declinedHint: 'Jede Zahlung wird abgelehnt.',
  sandbox_ok_then_declined: 'Testkarte: später abgelehnt',
  sandbox_ok_then_declinedHint: 'Diese Zahlung gelingt, spätere werden abgelehnt.',
  sandbox_requires_action: 'Testkarte: mit Bestätigung',
  sandbox_requires_actionHint: 'Gelingt, nachdem Sie bestätigt haben.',
  manual: 'Überweisung',
  manualHint: 'Wird wirksam, wenn das Geld eintrifft.',
  payElsewhere: 'Auf der Seite des Zahlungsdienstes bezahlen',
  otherMethod: 'Andere Zahlungsart wählen',
  cardElsewhere: 'Um mit Karte zu zahlen, kehren Sie zu der Seite zurück, von der Sie gekommen sind.',

  pay: '{amount} bezahlen',
  payWithBalance: 'Mit Guthaben bezahlen',
  startTrial: 'Testzeitraum starten',
  startTrialFree: 'Testzeitraum ohne Zahlungsmethode starten',
  startForFree: 'Kostenlos starten',
  subscribeNow: 'Abonnieren',
  changePlan: 'Tarif wechseln',
  changePlanFree: 'Tarif ohne Zahlungsmethode wechseln',
  keepPlan: 'Tarif behalten',
  leave: 'Zurück zu {seller}',
  cancel: 'Diese Bestellung stornieren',
  cancelLead: 'Danach kann diese Bestellung nicht mehr bezahlt werden.',
  cancelNow: 'Bestellung stornieren',
  continue: 'Weiter',
  goBack: 'Zurück',

  unpayable: 'Diese Zahlung ist zurzeit nicht möglich',
  noMethods: '{product}: Der Anbieter nimmt auf dieser Seite keine Zahlungen an.',
  cardOnly: '{product}: Um mit Karte zu zahlen, kehren Sie zu der Seite zurück, von der Sie gekommen sind.',
  codeObstacle: '{product}: Der Gutscheincode kann nicht mehr eingelöst werden.',
  existsObstacle: '{product}: Sie haben dieses Abonnement oder einen anderen Tarif derselben Gruppe bereits.',
  currencyObstacle: '{product}: Ihr jetziger Tarif hat eine andere Währung.',
  saleObstacle: '{product} wird nicht mehr verkauft.',
  changeObstacle: '{product}: Ihr Abonnement kann in seinem jetzigen Zustand nicht geändert werden.',

  confirm: 'Zahlung bestätigen',
  bankAsks: 'Ihre Bank bittet Sie, die Zahlung für {product} zu bestätigen.',
  goToBank: 'Zu Ihrer Bank',
  haveConfirmed: 'Ich habe bestätigt',
  testBankAsks: 'In diesem Test würde Ihre Bank Sie bitten, die Zahlung für {product} zu bestätigen.',
  confirmNow: 'Bestätigen',

  processing: 'Ihre Zahlung wird bearbeitet',
  processingText:
    'Die Zahlung für {product} wird bearbeitet. Das kann einen Moment dauern. Prüfen Sie danach das Ergebnis.',
  checkNow: 'Jetzt prüfen',

  awaiting: 'Wir warten auf Ihre Überweisung',
  startsWithTransfer:
    'Ihr Abonnement von {product} beginnt an dem Tag, an dem Ihre Überweisung bei {seller} eingeht.',
  changesWithTransfer:
    'Ihr Tarif wechselt zu {product}, sobald Ihre Überweisung bei {seller} eingegangen ist.',
  amount: 'Betrag',
  reference: 'Referenz',
  purpose: 'Für',
  invoice: 'Rechnung {number}',
  payBy: 'Zahlbar bis',
  accountHolder: 'Kontoinhaber',
  iban: 'IBAN',
  accountNumber: 'Kontonummer',
  bic: 'BIC',
  bank: 'Bank',

  paid: 'Vielen Dank',
  paidText: 'Ihr Abonnement von {product} ist bezahlt. Sie müssen nichts weiter tun.',
  expired: 'Dieses Angebot ist abgelaufen',
  expiredText:
    'Das Abonnement von {product} wurde nicht rechtzeitig bezahlt und kann hier nicht mehr bezahlt werden.',
  cancelled: 'Diese Zahlung wurde abgebrochen',
  cancelledText: 'Das Abonnement von {product} wurde abgebrochen und kann hier nicht mehr bezahlt werden.',

  declinedFunds:
    'Das Konto ist nicht ausreichend gedeckt. Es wurde nichts abgebucht. Wählen Sie eine andere Zahlungsart.',
  declinedLimit:
    'Die Zahlung übersteigt ein Limit Ihrer Karte oder Ihres Kontos. Es wurde nichts abgebucht. Fragen Sie Ihre Bank, oder wählen Sie eine andere Zahlungsart.',
  declinedNumber:
    'Die Nummer stimmt nicht. Es wurde nichts abgebucht. Prüfen Sie die Nummer der Karte oder des Kontos.',
  declinedCvc:
    'Die Prüfziffer stimmt nicht. Es wurde nichts abgebucht. Geben Sie die Prüfziffer Ihrer Karte noch einmal ein.',
  declinedByBank:
    'Ihre Bank hat die Zahlung abgelehnt. Es wurde nichts abgebucht. Fragen Sie Ihre Bank, oder wählen Sie eine andere Zahlungsart.',
  declinedAccount:
    'Die Karte oder das Konto kann nicht mehr verwendet werden. Es wurde nichts abgebucht. Wählen Sie eine andere Zahlungsart.',
  declinedMandate:
    'Ihre Erlaubnis zur Lastschrift fehlt oder ist erloschen. Es wurde nichts abgebucht. Erteilen Sie sie noch einmal, oder wählen Sie eine andere Zahlungsart.',
  declinedWithoutMethod:
    'Es gibt kein Zahlungsmittel, das belastet werden kann. Wählen Sie eine andere Zahlungsart.',
  declinedExpired: 'Die Karte ist abgelaufen. Es wurde nichts abgebucht. Geben Sie eine andere Karte ein.',
  declinedDetails:
    'Die Karte wurde nicht erkannt. Es wurde nichts abgebucht. Prüfen Sie Nummer, Ablaufdatum und Prüfziffer.',
  declinedUnconfirmed:
    'Ihre Bank hat keine Bestätigung erhalten. Es wurde nichts abgebucht. Versuchen Sie es noch einmal, oder wählen Sie eine andere Zahlungsart.',
  declinedUnsupported:
    'Mit dieser Karte ist dieser Kauf nicht möglich. Es wurde nichts abgebucht. Wählen Sie eine andere Zahlungsart.',
  declinedAgain:
    'Die Bank war nicht erreichbar. Es wurde nichts abgebucht. Versuchen Sie es in einigen Minuten noch einmal.',
  declinedAbandoned: 'Es wurde nichts abgebucht. Wählen Sie eine Zahlungsart.',
  declined:
    'Die Zahlung wurde abgelehnt, es wurde nichts abgebucht. Wählen Sie eine andere Zahlungsmethode, oder versuchen Sie es erneut.',
  chooseMethod: 'Wählen Sie eine Zahlungsmethode.',
  tokenInvalid: 'Diese Seite war zu lange geöffnet. Prüfen Sie sie, und versuchen Sie es erneut.',
  amountIncreased:
    'Der Betrag hat sich geändert, seit Sie diese Seite geöffnet haben. Prüfen Sie ihn, bevor Sie bezahlen.',
  codeUnusable: 'Dieser Code gilt nicht für diesen Kauf.',
  tooManyCodes:
    'Es wurden zu viele Codes eingegeben. Versuchen Sie es {when} erneut, oder bezahlen Sie ohne Code.',
  detailsRefused: 'Die Rechnungsangaben wurden nicht gespeichert. Korrigieren Sie die markierten Felder.',
  detailsFinal: 'Die Angaben dieser Rechnung können nicht mehr geändert werden.',
  paidAlready: 'Dies ist bereits bezahlt und kann nicht mehr abgebrochen werden.',
  notResponding: 'Der Zahlungsdienst antwortet nicht. Versuchen Sie es in einigen Sekunden erneut.',
  otherPayment: 'Für dieses Abonnement läuft bereits eine andere Zahlung.',

  nothingHere: 'Hier gibt es nichts zu bezahlen',
  nothingHereText:
    'Dies ist nicht die Adresse einer Zahlung. Prüfen Sie, ob Sie sie vollständig kopiert haben.',
};
