import { Field, ObjectType, registerEnumType } from 'type-graphql';
import { warningCodes, type WarningCode } from '../lib/warnings.ts';

const codes = Object.keys(warningCodes) as WarningCode[];
const WarningCodes = Object.fromEntries(codes.map((code) => [code, code]));
registerEnumType(WarningCodes, {
  name: 'WarningCode',
  description: 'What a warning is about.',
  valuesConfig: Object.fromEntries(codes.map((code) => [code, { description: warningCodes[code] }])),
});

@ObjectType('Warning', {
  simpleResolvers: true,
  description: 'Something that is allowed, but probably not meant.',
})
export class WarningType {
  @Field(() => WarningCodes, { description: 'The code, for programs and translations.' })
  code!: WarningCode;

  @Field(() => String, { description: 'The message for people, with the values of this case.' })
  message!: string;
}
