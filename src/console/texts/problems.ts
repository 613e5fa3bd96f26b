import type { Problem } from '../data/errors.ts';
import { defineTexts, useTexts } from './language.tsx';

/** What to do about the errors that people meet; others show the message of the server. */
const texts = defineTexts({
  en: {
    offline: 'The server did not respond. Check the connection, then try again.',
    document_not_trusted: 'The server has been upgraded. Reload this page.',
    rate_limited: 'Too many requests. Wait a few seconds, then try again.',
    permission_missing: 'Your role does not allow this. Ask an owner or an administrator of the tenant.',
    step_up_required: 'This needs a fresh proof that it is you. Confirm it, then try again.',
    sign_in_required: 'The session has ended. Sign in again.',
    sign_in_failed: 'That did not match. Check what you entered, or use another way to sign in.',
    tenant_mismatch: 'There is no such tenant, or you have no role in it.',
    unavailable: 'The database is busy. Nothing was changed; try again in a moment.',
    request_in_flight: 'The same request is still being carried out. Wait a moment, then look at the result.',
    internal_error: 'Something went wrong in the server. Nothing was changed; the log has the details.',
    query_timeout: 'The query took too long. Narrow the filter or the period.',
    payment_failed:
      'The payment was declined. Ask the customer for another payment method, or send a link to pay.',
    refund_too_large: 'More than can be refunded. Enter at most the refundable amount.',
    credit_too_large: 'More than the rest of the invoice. Enter at most that.',
    validation_failed: 'Some of this cannot be accepted:',
  },
  de: {
    offline: 'Der Server hat nicht geantwortet. Prüfen Sie die Verbindung und versuchen Sie es erneut.',
    document_not_trusted: 'Der Server wurde aktualisiert. Laden Sie diese Seite neu.',
    rate_limited: 'Zu viele Anfragen. Warten Sie einige Sekunden und versuchen Sie es erneut.',
    permission_missing:
      'Ihre Rolle erlaubt das nicht. Fragen Sie eine Inhaberin oder einen Administrator des Mandanten.',
    step_up_required:
      'Dafür ist eine neue Bestätigung nötig, dass Sie es sind. Bestätigen Sie, und versuchen Sie es erneut.',
    sign_in_required: 'Die Sitzung ist beendet. Melden Sie sich erneut an.',
    sign_in_failed:
      'Das stimmt nicht überein. Prüfen Sie Ihre Eingabe, oder melden Sie sich auf einem anderen Weg an.',
    tenant_mismatch: 'Diesen Mandanten gibt es nicht, oder Sie haben darin keine Rolle.',
    unavailable: 'Die Datenbank ist ausgelastet. Nichts wurde geändert; versuchen Sie es gleich noch einmal.',
    request_in_flight: 'Dieselbe Anfrage läuft noch. Warten Sie kurz, und sehen Sie sich das Ergebnis an.',
    internal_error:
      'Im Server ist ein Fehler aufgetreten. Nichts wurde geändert; Näheres steht im Protokoll.',
    query_timeout: 'Die Abfrage hat zu lange gedauert. Grenzen Sie den Filter oder den Zeitraum ein.',
    payment_failed:
      'Die Zahlung wurde abgelehnt. Bitten Sie um ein anderes Zahlungsmittel, oder senden Sie einen Zahlungslink.',
    refund_too_large: 'Mehr, als erstattet werden kann. Geben Sie höchstens den erstattbaren Betrag ein.',
    credit_too_large: 'Mehr als der Rest der Rechnung. Geben Sie höchstens diesen ein.',
    validation_failed: 'Einige Angaben werden nicht angenommen:',
  },
  fr: {
    offline: 'Le serveur n’a pas répondu. Vérifiez la connexion, puis réessayez.',
    document_not_trusted: 'Le serveur a été mis à jour. Rechargez cette page.',
    rate_limited: 'Trop de requêtes. Attendez quelques secondes, puis réessayez.',
    permission_missing:
      'Votre rôle ne le permet pas. Demandez à un propriétaire ou à un administrateur de l’espace.',
    step_up_required: 'Il faut confirmer à nouveau votre identité. Confirmez-la, puis réessayez.',
    sign_in_required: 'La session est terminée. Reconnectez-vous.',
    sign_in_failed:
      'Les données ne correspondent pas. Vérifiez votre saisie ou utilisez un autre moyen de connexion.',
    tenant_mismatch: 'Cet espace n’existe pas, ou vous n’y avez aucun rôle.',
    unavailable: 'La base de données est occupée. Rien n’a été modifié ; réessayez dans un instant.',
    request_in_flight: 'La même requête est encore en cours. Attendez un instant, puis regardez le résultat.',
    internal_error:
      'Une erreur est survenue dans le serveur. Rien n’a été modifié ; le journal contient les détails.',
    query_timeout: 'La requête a pris trop de temps. Réduisez le filtre ou la période.',
    payment_failed:
      'Le paiement a été refusé. Demandez un autre moyen de paiement ou envoyez un lien de paiement.',
    refund_too_large: 'Plus que le montant remboursable. Saisissez au plus ce montant.',
    credit_too_large: 'Plus que le reste de la facture. Saisissez au plus ce montant.',
    validation_failed: 'Certaines données ne sont pas acceptées :',
  },
  fa: {
    offline: 'سرور پاسخ نداد. اتصال را بررسی و دوباره تلاش کنید.',
    document_not_trusted: 'سرور به‌روز شده است. این صفحه را دوباره بارگذاری کنید.',
    rate_limited: 'درخواست‌ها بیش از حد است. چند ثانیه صبر و دوباره تلاش کنید.',
    permission_missing: 'نقش شما اجازهٔ این کار را نمی‌دهد. از مالک یا مدیر این فضا بخواهید.',
    step_up_required: 'برای این کار باید دوباره هویت خود را تأیید کنید. تأیید کنید و دوباره تلاش کنید.',
    sign_in_required: 'نشست پایان یافته است. دوباره وارد شوید.',
    sign_in_failed: 'مطابقت ندارد. ورودی خود را بررسی کنید یا از راه دیگری وارد شوید.',
    tenant_mismatch: 'چنین فضایی وجود ندارد یا شما در آن نقشی ندارید.',
    unavailable: 'پایگاه داده مشغول است. چیزی تغییر نکرد؛ کمی بعد دوباره تلاش کنید.',
    request_in_flight: 'همین درخواست هنوز در حال انجام است. کمی صبر کنید و نتیجه را ببینید.',
    internal_error: 'خطایی در سرور رخ داد. چیزی تغییر نکرد؛ جزئیات در گزارش سرور است.',
    query_timeout: 'پرس‌وجو بیش از حد طول کشید. فیلتر یا بازه را محدود کنید.',
    payment_failed: 'پرداخت رد شد. از مشتری روش پرداخت دیگری بخواهید یا پیوند پرداخت بفرستید.',
    refund_too_large: 'بیش از مبلغ قابل بازگشت است. حداکثر همان مبلغ را وارد کنید.',
    credit_too_large: 'بیش از ماندهٔ فاکتور است. حداکثر همان را وارد کنید.',
    validation_failed: 'بخشی از این اطلاعات پذیرفته نمی‌شود:',
  },
});

/** A problem in words. */
export interface ProblemWords {
  title: string;
  /** The refused fields, one line each. */
  detail: string[];
}

/** Returns a function that puts a problem into words. */
export function useProblemWords(): (problem: Problem) => ProblemWords {
  const t = useTexts(texts) as Record<string, string>;
  return ({ reason, message, issues }) => ({
    title: t[reason] ?? message,
    detail:
      reason === 'permission_missing' ? [] : issues.map(({ path, message: text }) => `${path}: ${text}`),
  });
}

/** Returns what the server said about one field of a form: `input.email`, or its end, `email`. */
export function findFieldProblem(problem: Problem | undefined, field: string): string | undefined {
  return problem?.issues.find(({ path }) => path === field || path.endsWith(`.${field}`))?.message;
}
