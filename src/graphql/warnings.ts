import { Field, ObjectType } from 'type-graphql';
import type { WarningCode } from '../lib/warnings.ts';

@ObjectType('Warning', {
  simpleResolvers: true,
  description: 'Something that is allowed, but probably not meant.',
})
export class WarningType {
  @Field(() => String, { description: 'The stable code.' })
  code!: WarningCode;

  @Field(() => String, { description: 'The message for people.' })
  message!: string;
}
