import type { MailTexts } from './types.ts';

const one = {
  Daily: 'په ورځ کې',
  Weekly: 'په اونۍ کې',
  Monthly: 'په میاشت کې',
  Yearly: 'په کال کې',
} as const;
const many = { Daily: 'ورځو', Weekly: 'اونیو', Monthly: 'میاشتو', Yearly: 'کلونو' } as const;

export const ps: MailTexts = {
  mails: {
    receipt: {
      subject: 'د {merchant.name} څخه ستاسو رسید',
      heading: 'ستاسو د تادیې مننه',
      body: 'سلام {customer.firstName}،\n\nستاسو د {invoice.total} تادیه مو ترلاسه کړه. که بل مل وي، له ځان سره یې وساتئ.',
      action: 'بلونه وګورئ',
    },
    invoice_issued: {
      subject: 'د {merchant.name} بل {invoice.number}',
      heading: 'ستاسو بل',
      body: 'سلام {customer.firstName}،\n\nمهرباني وکړئ {invoice.total} تر {invoice.dueDate} پورې حواله کړئ. د تادیې نښه ولیکئ، څو ستاسو تادیه وپېژنو.',
      action: 'بل وګورئ',
    },
    invoice_overdue: {
      subject: 'یادونه: د {merchant.name} د بل {invoice.number} نېټه تېره ده',
      heading: 'ستاسو د بل نېټه تېره ده',
      body: 'سلام {customer.firstName}،\n\nد {invoice.total} تادیه چې نېټه یې {invoice.dueDate} وه، لا نه ده رارسېدلې. که تاسو تادیه کړې وي، دا پیغام له پامه وغورځوئ.',
      action: 'بل وګورئ',
    },
    payment_failed: {
      subject: '{merchant.name} ته ستاسو تادیه ناکامه شوه',
      heading: 'ستاسو تادیه ناکامه شوه',
      body: 'سلام {customer.firstName}،\n\nموږ ونه شو کولای {invoice.total} ستاسو د تادیې له لارې واخلو. د ګډون د ساتلو لپاره یې تازه کړئ.',
      action: 'د تادیې لار تازه کړئ',
    },
    payment_method_expiring: {
      subject: 'د {merchant.name} لپاره ستاسو کارت ژر پای ته رسېږي',
      heading: 'ستاسو کارت ژر پای ته رسېږي',
      body: 'سلام {customer.firstName}،\n\n{paymentMethod.name} په {paymentMethod.expiry} کې پای ته رسېږي. د بلې تادیې نه مخکې نوی کارت زیات کړئ.',
      action: 'د تادیې لار تازه کړئ',
    },
    trial_ending: {
      subject: 'د {subscription.product} ازمایښتي موده په {trial.endDate} پای ته رسېږي',
      heading: 'ستاسو ازمایښتي موده ژر پای ته رسېږي',
      body: 'سلام {customer.firstName}،\n\nد {subscription.product} ازمایښتي موده په {trial.endDate} پای ته رسېږي. بیا مو د پیسو ګډون پیلېږي، که مخکې یې لغوه نه کړئ.',
      action: 'ګډون سمبال کړئ',
    },
    renewal_upcoming: {
      subject: '{subscription.product} په {subscription.renewalDate} نوی کېږي',
      heading: 'ستاسو ګډون ژر نوی کېږي',
      body: 'سلام {customer.firstName}،\n\nد {subscription.product} ګډون په {subscription.renewalDate} په خپله نوی کېږي. مخکې یې لغوه کولای شئ.',
      action: 'ګډون سمبال کړئ',
    },
    plan_changed: {
      subject: 'ستاسو پلان اوس {subscription.product} دی',
      heading: 'ستاسو پلان بدل شو',
      body: 'سلام {customer.firstName}،\n\nستاسو ګډون {subscription.product} ته بدل شو.',
      action: 'ګډون سمبال کړئ',
    },
    plan_change_scheduled: {
      subject: 'ستاسو پلان به {subscription.product} ته بدل شي',
      heading: 'ستاسو پلان به بدل شي',
      body: 'سلام {customer.firstName}،\n\nستاسو ګډون به {subscription.product} ته بدل شي. تر هغه وخته هېڅ نه بدلېږي.',
      action: 'ګډون سمبال کړئ',
    },
    cancelled: {
      subject: 'د {subscription.product} ګډون پای ته ورسېد',
      heading: 'ستاسو ګډون پای ته ورسېد',
      body: 'سلام {customer.firstName}،\n\nد {subscription.product} ګډون پای ته ورسېد او نور نه نوی کېږي.',
      action: 'بلونه وګورئ',
    },
    cancellation_scheduled: {
      subject: 'د {subscription.product} ګډون لغوه شو',
      heading: 'ستاسو لغوه کول تایید شول',
      body: 'سلام {customer.firstName}،\n\nد {subscription.product} ګډون لغوه شو او په {subscription.endDate} پای ته رسېږي. تر هغه وخته یې کارولای شئ.',
      action: 'ګډون سمبال کړئ',
    },
    portal_code: {
      subject: '{code} د {merchant.name} لپاره ستاسو کوډ دی',
      heading: 'د ننوتلو کوډ',
      body: 'د ننوتلو لپاره دا کوډ ولیکئ. دا کوډ ۱۰ دقیقې اعتبار لري.\n\nکه تاسو نه وي غوښتی، دا پیغام له پامه وغورځوئ. د {merchant.name} هېڅوک به دا کوډ له تاسو ونه غواړي.',
      action: null,
    },
    test: {
      subject: 'د {merchant.name} ازمایښتي پیغام',
      heading: 'لېږل کار کوي',
      body: 'دا ازمایښت دی. د {merchant.name} پیغامونه دې پتې ته رسېږي.',
      action: null,
    },
  },
  labels: {
    'invoice.number': 'بل',
    'invoice.total': 'ټول',
    'invoice.date': 'نېټه',
    'invoice.dueDate': 'د تادیې نېټه',
    'payment.reason': 'لامل',
    'payment.nextAttempt': 'بله هڅه',
    'paymentMethod.name': 'د تادیې لار',
    'paymentMethod.expiry': 'تر دې اعتبار لري',
    'subscription.product': 'ګډون',
    'subscription.price': 'بیه',
    'subscription.renewalDate': 'بل نوي کول',
    'subscription.endDate': 'پای',
    'subscription.changeDate': 'د بدلون نېټه',
    'trial.endDate': 'د ازمایښت پای',
    'bank.accountHolder': 'د حساب خاوند',
    'bank.iban': 'IBAN',
    'bank.accountNumber': 'د حساب شمېره',
    'bank.bic': 'BIC',
    'bank.name': 'بانک',
    'bank.reference': 'د تادیې نښه',
  },
  reasons: {
    insufficient_funds: 'په حساب کې بسې پیسې نشته',
    expired: 'د کارت موده پای ته رسېدلې',
    confirmation: 'ستاسو بانک د تادیې تایید غواړي',
    declined: 'ستاسو بانک ونه مانله',
  },
  methods: { card: 'کارت', sepa_debit: 'SEPA مستقیم برداشت', other: 'د تادیې لار' },
  every: (price, frequency, count) =>
    count === '۱' ? `${price} ${one[frequency]}` : `${price} په هرو ${count} ${many[frequency]} کې`,
  sentBy: (merchant) => `${merchant} دا پیغام ستاسو د پېرود په اړه درلېږلی دی.`,
  questions: 'پوښتنې لرئ؟',
  terms: 'شرایط',
  privacy: 'محرمیت',
  link: 'یا دا پته پرانیزئ:',
};
