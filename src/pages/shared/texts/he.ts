import type { en } from './en.ts';

export const he: typeof en = {
  test: 'מצב בדיקה',
  testText: 'לא מועבר כסף.',
  language: 'שפה',
  terms: 'תנאים',
  privacy: 'פרטיות',
  support: 'עזרה',
  tooMany: 'יותר מדי בקשות',
  tooManyText: 'יש להמתין מספר שניות ולנסות שוב.',
  tryLater: 'יש לנסות שוב בעוד רגע',
  tryLaterText: 'שירות התשלומים אינו מגיב. יש לנסות שוב בעוד מספר שניות.',
  notSent: 'לא ניתן היה לשלוח את הטופס',
  formTooLarge: 'הטופס גדול מדי.',
  formOfPage: 'יש לשלוח את הטופס של העמוד עצמו.',
  documentGone: 'המסמך הזה אינו כאן',
  documentGoneText: 'תוקף הקישור פג או שהוא אינו שלם. יש לבקש קישור חדש.',
};
