import { Field, ID, ObjectType } from 'type-graphql';

@ObjectType({ simpleResolvers: true, description: 'A file that a mail has attached.' })
class MailAttachment {
  @Field(() => String, { description: 'The name of the file.' })
  fileName!: string;

  @Field(() => ID, { description: 'The invoice whose document it is, or that its credit note credits.' })
  invoiceId!: string;

  @Field(() => ID, {
    nullable: true,
    description: 'The credit note whose document it is; null for that of an invoice.',
  })
  creditNoteId!: string | null;
}

@ObjectType({ simpleResolvers: true, description: 'The content of a mail.' })
export class MailMessage {
  @Field(() => String, { description: 'The subject.' })
  subject!: string;

  @Field(() => String, { description: 'The HTML part.' })
  html!: string;

  @Field(() => String, { description: 'The text part.' })
  text!: string;

  @Field(() => [MailAttachment], { description: 'The attached files, without a logo in the text.' })
  attachments!: MailAttachment[];
}
