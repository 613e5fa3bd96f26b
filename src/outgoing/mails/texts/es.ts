import type { MailTexts } from './types.ts';

const one = { Daily: 'al día', Weekly: 'a la semana', Monthly: 'al mes', Yearly: 'al año' } as const;
const many = { Daily: 'días', Weekly: 'semanas', Monthly: 'meses', Yearly: 'años' } as const;

export const es: MailTexts = {
  mails: {
    receipt: {
      subject: 'Su recibo de {merchant.name}',
      heading: 'Gracias por su pago',
      body: 'Hola, {customer.firstName}:\n\nhemos recibido su pago de {invoice.total}. Si hay una factura adjunta, consérvela.',
      action: 'Ver facturas',
    },
    invoice_issued: {
      subject: 'Factura {invoice.number} de {merchant.name}',
      heading: 'Su factura',
      body: 'Hola, {customer.firstName}:\n\ntransfiera {invoice.total} antes del {invoice.dueDate}. Indique la referencia para que podamos identificar su pago.',
      action: 'Ver factura',
    },
    invoice_overdue: {
      subject: 'Recordatorio: la factura {invoice.number} de {merchant.name} está vencida',
      heading: 'Su factura está vencida',
      body: 'Hola, {customer.firstName}:\n\naún no hemos recibido {invoice.total}, que vencía el {invoice.dueDate}. Si ya ha pagado, ignore este mensaje.',
      action: 'Ver factura',
    },
    payment_failed: {
      subject: 'Su pago a {merchant.name} ha fallado',
      heading: 'Su pago ha fallado',
      body: 'Hola, {customer.firstName}:\n\nno hemos podido cobrar {invoice.total} con su método de pago. Actualícelo para conservar su suscripción.',
      action: 'Actualizar método de pago',
    },
    payment_method_expiring: {
      subject: 'Su tarjeta para {merchant.name} caduca pronto',
      heading: 'Su tarjeta caduca pronto',
      body: 'Hola, {customer.firstName}:\n\n{paymentMethod.name} caduca {paymentMethod.expiry}. Añada una tarjeta nueva antes del próximo pago.',
      action: 'Actualizar método de pago',
    },
    trial_ending: {
      subject: 'Su prueba de {subscription.product} termina el {trial.endDate}',
      heading: 'Su prueba termina pronto',
      body: 'Hola, {customer.firstName}:\n\nsu prueba de {subscription.product} termina el {trial.endDate}. Entonces empieza la suscripción de pago, salvo que la cancele antes.',
      action: 'Gestionar suscripción',
    },
    renewal_upcoming: {
      subject: '{subscription.product} se renueva el {subscription.renewalDate}',
      heading: 'Su suscripción se renueva pronto',
      body: 'Hola, {customer.firstName}:\n\nsu suscripción a {subscription.product} se renueva automáticamente el {subscription.renewalDate}. Puede cancelarla antes de esa fecha.',
      action: 'Gestionar suscripción',
    },
    plan_changed: {
      subject: 'Su plan ahora es {subscription.product}',
      heading: 'Su plan ha cambiado',
      body: 'Hola, {customer.firstName}:\n\nsu suscripción ha cambiado a {subscription.product}.',
      action: 'Gestionar suscripción',
    },
    plan_change_scheduled: {
      subject: 'Su plan cambiará a {subscription.product}',
      heading: 'Su plan cambiará',
      body: 'Hola, {customer.firstName}:\n\nsu suscripción cambiará a {subscription.product}. Hasta entonces no cambia nada.',
      action: 'Gestionar suscripción',
    },
    cancelled: {
      subject: 'Su suscripción a {subscription.product} ha terminado',
      heading: 'Su suscripción ha terminado',
      body: 'Hola, {customer.firstName}:\n\nsu suscripción a {subscription.product} ha terminado. Ya no se renovará.',
      action: 'Ver facturas',
    },
    cancellation_scheduled: {
      subject: 'Su suscripción a {subscription.product} está cancelada',
      heading: 'Su cancelación está confirmada',
      body: 'Hola, {customer.firstName}:\n\nsu suscripción a {subscription.product} está cancelada y termina el {subscription.endDate}. Puede usarla hasta entonces.',
      action: 'Gestionar suscripción',
    },
    portal_code: {
      subject: '{code} es su código para {merchant.name}',
      heading: 'Su código de acceso',
      body: 'Introduzca este código para acceder. Es válido durante 10 minutos.\n\nSi no lo ha pedido, ignore este mensaje. Nadie de {merchant.name} le pedirá nunca este código.',
      action: null,
    },
    test: {
      subject: 'Mensaje de prueba de {merchant.name}',
      heading: 'El envío funciona',
      body: 'Esto es una prueba. Los mensajes de {merchant.name} llegan a esta dirección.',
      action: null,
    },
  },
  labels: {
    'invoice.number': 'Factura',
    'invoice.total': 'Total',
    'invoice.date': 'Fecha',
    'invoice.dueDate': 'Vencimiento',
    'payment.reason': 'Motivo',
    'payment.nextAttempt': 'Próximo intento',
    'paymentMethod.name': 'Método de pago',
    'paymentMethod.expiry': 'Caduca',
    'subscription.product': 'Suscripción',
    'subscription.price': 'Precio',
    'subscription.renewalDate': 'Próxima renovación',
    'subscription.endDate': 'Fin',
    'subscription.changeDate': 'Cambia el',
    'trial.endDate': 'La prueba termina el',
    'bank.accountHolder': 'Titular de la cuenta',
    'bank.iban': 'IBAN',
    'bank.accountNumber': 'Número de cuenta',
    'bank.bic': 'BIC',
    'bank.name': 'Banco',
    'bank.reference': 'Referencia',
  },
  reasons: {
    insufficient_funds: 'Fondos insuficientes',
    expired: 'La tarjeta ha caducado',
    confirmation: 'Su banco pide que confirme el pago',
    declined: 'Rechazado por su banco',
  },
  methods: { card: 'Tarjeta', sepa_debit: 'Adeudo SEPA', other: 'Método de pago' },
  every: (price, frequency, count) =>
    count === '1' ? `${price} ${one[frequency]}` : `${price} cada ${count} ${many[frequency]}`,
  sentBy: (merchant) => `${merchant} le ha enviado este mensaje sobre su compra.`,
  questions: '¿Preguntas?',
  terms: 'Condiciones',
  privacy: 'Privacidad',
  link: 'O abra esta dirección:',
};
