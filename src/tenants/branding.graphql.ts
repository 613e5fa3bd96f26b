import { Extensions, Field, InputType, ObjectType } from 'type-graphql';
import { UrlScalar } from '../graphql/scalars.ts';
import { declareLength } from '../graphql/rules/inputSizes.ts';

@ObjectType('Branding', {
  simpleResolvers: true,
  description: 'How the pages and mails for customers look. The logo is that of the seller.',
})
export class BrandingType {
  @Field(() => String, {
    nullable: true,
    description: 'The name that customers see; null for the name of the tenant.',
  })
  displayName!: string | null;

  @Field(() => String, {
    nullable: true,
    description: 'The colour of buttons and links, as `#rrggbb`; null for the standard one.',
  })
  color!: string | null;

  @Field(() => String, { nullable: true, description: 'The SHA-256 of the icon, in hexadecimal.' })
  faviconId!: string | null;

  @Field(() => UrlScalar, { nullable: true, description: 'The address of the terms of service.' })
  termsUrl!: string | null;

  @Field(() => UrlScalar, { nullable: true, description: 'The address of the privacy policy.' })
  privacyUrl!: string | null;

  @Field(() => UrlScalar, { nullable: true, description: 'The address of a page where customers find help.' })
  supportUrl!: string | null;

  @Field(() => String, {
    nullable: true,
    description: 'The e-mail address for questions of customers, used on pages if there is no `supportUrl`.',
  })
  supportEmail!: string | null;
}

/** 200 KiB in base64. */
const longestFavicon = 273_068;

@InputType({
  description: 'How the pages and mails for customers look. Fields other than `favicon` are replaced.',
})
export class BrandingInput {
  @Field(() => String, {
    nullable: true,
    description: 'The name that customers see, at most 200 characters; null for the name of the tenant.',
  })
  displayName?: string | null;

  @Field(() => String, {
    nullable: true,
    description:
      'The colour of buttons and links, as `#rrggbb`. It is darkened or lightened where text could not be read.',
  })
  color?: string | null;

  @Extensions(declareLength(longestFavicon))
  @Field(() => String, {
    nullable: true,
    description:
      'A PNG image of at most 200 KiB, in base64; omitted, the icon stays unchanged, and null removes it.',
  })
  favicon?: string | null;

  @Field(() => UrlScalar, {
    nullable: true,
    description: 'The address of the terms of service, http or https.',
  })
  termsUrl?: string | null;

  @Field(() => UrlScalar, {
    nullable: true,
    description: 'The address of the privacy policy, http or https.',
  })
  privacyUrl?: string | null;

  @Field(() => UrlScalar, {
    nullable: true,
    description: 'The address of a page where customers find help, http or https.',
  })
  supportUrl?: string | null;

  @Field(() => String, { nullable: true, description: 'The e-mail address for questions of customers.' })
  supportEmail?: string | null;
}
