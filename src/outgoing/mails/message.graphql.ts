import { Field, ObjectType } from 'type-graphql';

@ObjectType({ simpleResolvers: true, description: 'The content of a mail, without attachments.' })
export class MailMessage {
  @Field(() => String, { description: 'The subject.' })
  subject!: string;

  @Field(() => String, { description: 'The HTML part.' })
  html!: string;

  @Field(() => String, { description: 'The text part.' })
  text!: string;
}
