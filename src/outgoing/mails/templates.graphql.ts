import {
  Arg,
  Args,
  Extensions,
  Field,
  ID,
  InputType,
  ObjectType,
  registerEnumType,
  Resolver,
} from 'type-graphql';
import { Query, Mutation } from '../../graphql/operations.ts';
import { MailKinds } from '../../tenants/mail.graphql.ts';
import { CurrentTenant } from '../../graphql/arguments.ts';
import { ConnectionArgs, defineConnection } from '../../graphql/connections.ts';
import { Node, refetchBy } from '../../graphql/node.ts';
import { DateTime } from '../../graphql/scalars.ts';
import { englishNames, languageNames, type Language } from '../../lib/language.ts';
import type { MailKind } from '../../storage/model/mails.ts';
import type { TenantScope } from '../../tenancy/tenantScope.ts';
import { listPlaceholders } from './facts.ts';
import { previewMail } from './preview.ts';
import {
  deleteMailTemplate,
  findMailTemplate,
  listMailTemplates,
  updateMailTemplate,
  type TemplateRow,
} from './templates.ts';
import { MailMessage } from './message.graphql.ts';

const tags = Object.keys(languageNames);

export const MailLanguages = Object.fromEntries(tags.map((tag) => [tag, tag]));
registerEnumType(MailLanguages, {
  name: 'MailLanguage',
  description: 'A language of mails and pages.',
  valuesConfig: Object.fromEntries(
    Object.entries(englishNames).map(([tag, name]) => [tag, { description: `${name}.` }]),
  ),
});

const placeholders = 'Placeholders such as `{customer.firstName}` are listed by `mailPlaceholders`.';
const bodyDescription =
  'The paragraphs as plain text, separated by empty lines, at most 5,000 characters; null for the standard ones.';

@Extensions(refetchBy(({ read }, id) => findMailTemplate(read, id)))
@ObjectType('MailTemplate', {
  implements: Node,
  simpleResolvers: true,
  description: "The tenant's text of a kind of mail in a language.",
})
class MailTemplate extends Node {
  @Field(() => MailKinds, { description: 'The kind.' })
  kind!: string;

  @Field(() => MailLanguages, { description: 'The language.' })
  language!: string;

  @Field(() => String, { description: 'The subject, with placeholders.' })
  subject!: string;

  @Field(() => String, {
    nullable: true,
    description: 'The paragraphs, with placeholders; null for the standard ones.',
  })
  body!: string | null;

  @Field(() => DateTime, { description: 'When it was created.' })
  createdAt!: string;

  @Field(() => DateTime, { description: 'When it was last changed.' })
  updatedAt!: string;
}

@ObjectType('MailWording', { simpleResolvers: true, description: 'The text of a mail.' })
class MailWordingType {
  @Field(() => String, { description: 'The subject, with placeholders.' })
  subject!: string;

  @Field(() => String, { description: 'The paragraphs, with placeholders.' })
  body!: string;
}

@ObjectType({ simpleResolvers: true, description: 'A mail as it would be sent.' })
class MailPreview extends MailMessage {
  @Field(() => MailWordingType, {
    description: 'The text with its placeholders, from which the mail was made.',
  })
  wording!: MailWordingType;
}

@InputType({ description: 'A text of a mail that is not saved.' })
class MailDraftInput {
  @Field(() => String, { description: `The subject, 1 to 200 characters. ${placeholders}` })
  subject!: string;

  @Field(() => String, { nullable: true, description: bodyDescription })
  body?: string | null;
}

@InputType({ description: "The tenant's text of a kind of mail in a language." })
class UpdateMailTemplateInput {
  @Field(() => MailKinds, { description: 'The kind.' })
  kind!: string;

  @Field(() => MailLanguages, { description: 'The language.' })
  language!: string;

  @Field(() => String, { description: `The subject, 1 to 200 characters. ${placeholders}` })
  subject!: string;

  @Field(() => String, { nullable: true, description: bodyDescription })
  body?: string | null;
}

const TemplateConnection = defineConnection<TemplateRow>('MailTemplate', () => MailTemplate);

@Resolver(() => MailTemplate)
export class MailTemplateResolver {
  @Query(() => MailTemplate, {
    nullable: true,
    description: 'Returns a mail template by id.',
    permission: 'read',
    reasons: ['mail_template_not_found'],
  })
  mailTemplate(
    @CurrentTenant() tenant: TenantScope,
    @Arg('id', () => ID, { description: 'The template.' }) id: string,
  ): Promise<TemplateRow> {
    return findMailTemplate(tenant.read, id);
  }

  @Query(() => TemplateConnection, {
    nullable: true,
    description: "Lists the tenant's mail templates.",
    permission: 'read',
    reasons: ['cursor_invalid'],
  })
  async mailTemplates(
    @CurrentTenant() tenant: TenantScope,
    @Args(() => ConnectionArgs) page: ConnectionArgs,
  ) {
    return new TemplateConnection(await listMailTemplates(tenant, page));
  }

  @Query(() => [String], {
    description: 'Lists the placeholders that the texts of a kind may contain.',
    work: { cost: 0, size: 30 },
    permission: 'read',
    reasons: [],
  })
  mailPlaceholders(
    @CurrentTenant() _tenant: TenantScope,
    @Arg('kind', () => MailKinds, { description: 'The kind.' }) kind: MailKind,
  ): string[] {
    return listPlaceholders(kind).map((name) => `{${name}}`);
  }

  // A mail has about 10 KB of HTML, and a logo.
  @Query(() => MailPreview, {
    nullable: true,
    description: 'Returns a mail as it would be sent, with invented data.',
    work: { cost: 200 },
    permission: 'read',
    reasons: ['customer_not_found'],
  })
  async previewMail(
    @CurrentTenant() tenant: TenantScope,
    @Arg('kind', () => MailKinds, { description: 'The kind.' }) kind: MailKind,
    @Arg('language', () => MailLanguages, {
      nullable: true,
      description: 'The language; that of the customer, or `en`, by default.',
    })
    language?: Language | null,
    @Arg('customerId', () => ID, { nullable: true, description: 'The customer to be named in it.' })
    customerId?: string | null,
    @Arg('draft', () => MailDraftInput, {
      nullable: true,
      description: 'A text to show instead of the saved one.',
    })
    draft?: MailDraftInput | null,
  ): Promise<MailPreview> {
    return { ...(await previewMail(tenant, kind, language, customerId, draft)), attachments: [] };
  }

  @Mutation(() => MailTemplate, {
    nullable: true,
    description: "Sets the tenant's text of a kind of mail in a language.",
    permission: 'manage_settings',
    reasons: [],
  })
  updateMailTemplate(
    @CurrentTenant() tenant: TenantScope,
    @Arg('input', () => UpdateMailTemplateInput, { description: 'The text.' }) input: UpdateMailTemplateInput,
  ): Promise<TemplateRow> {
    return tenant.write((unit) => updateMailTemplate(unit, input));
  }

  @Mutation(() => MailTemplate, {
    nullable: true,
    description: 'Deletes a mail template; the standard text is used from then on.',
    permission: 'manage_settings',
    reasons: ['mail_template_not_found'],
  })
  deleteMailTemplate(
    @CurrentTenant() tenant: TenantScope,
    @Arg('id', () => ID, { description: 'The template.' }) id: string,
  ): Promise<TemplateRow> {
    return tenant.write((unit) => deleteMailTemplate(unit, id));
  }
}
