import type { en } from './en.ts';

export const es: typeof en = {
  test: 'Modo de prueba',
  testText: 'No se mueve dinero.',
  language: 'Idioma',
  terms: 'Condiciones',
  privacy: 'Privacidad',
  support: 'Ayuda',
  tooMany: 'Demasiadas solicitudes',
  tooManyText: 'Espere unos segundos e inténtelo de nuevo.',
  tryLater: 'Inténtelo de nuevo en breve',
  tryLaterText: 'El servicio de pago no responde. Inténtelo de nuevo en unos segundos.',
  notSent: 'No se pudo enviar el formulario',
  formTooLarge: 'El formulario es demasiado grande.',
  formOfPage: 'Envíe el formulario de la página.',
  documentGone: 'Este documento no está aquí',
  documentGoneText: 'El enlace ha caducado o está incompleto. Pida uno nuevo.',
};
