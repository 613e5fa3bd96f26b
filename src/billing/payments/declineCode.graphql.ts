import { registerEnumType } from 'type-graphql';
import { declineCodes } from '../../lib/declineCodes.ts';

const codes = Object.entries(declineCodes);

export const DeclineCodes = Object.fromEntries(codes.map(([code]) => [code, code]));
registerEnumType(DeclineCodes, {
  name: 'DeclineCode',
  description: 'Why a charge was declined, the same for all providers.',
  valuesConfig: Object.fromEntries(codes.map(([code, description]) => [code, { description }])),
});
