import { Arg, Args, Ctx, Extensions, Field, ID, InputType, ObjectType, Resolver } from 'type-graphql';
import { Mutation, Query } from '../../graphql/operations.ts';
import { CurrentTenant } from '../../graphql/arguments.ts';
import { ConnectionArgs, defineConnection } from '../../graphql/connections.ts';
import type { Context } from '../../graphql/context.ts';
import { Node, refetchBy } from '../../graphql/node.ts';
import { DateTime } from '../../graphql/scalars.ts';
import type { TenantScope } from '../../tenancy/tenantScope.ts';
import {
  createCustomerNote,
  deleteCustomerNote,
  findCustomerNote,
  listCustomerNotes,
  updateCustomerNote,
  type NoteEditor,
  type NoteRow,
} from './notes.ts';

@Extensions(refetchBy(({ read }, id) => findCustomerNote(read, id)))
@ObjectType('CustomerNote', {
  implements: Node,
  simpleResolvers: true,
  description: 'A note about a customer, for the people of the tenant. Customers never see it.',
})
class CustomerNote extends Node {
  @Field(() => ID, { description: 'The customer.' })
  customerId!: string;

  @Field(() => String, { description: 'The text.' })
  text!: string;

  @Field(() => String, {
    description: 'Who wrote it, as traces name the executor: `operator:` and an id, or a key.',
  })
  authorId!: string;

  @Field(() => String, {
    nullable: true,
    description: 'The name of the operator who wrote it, as it was then; null for a key.',
  })
  authorName!: string | null;

  @Field(() => DateTime, { description: 'When it was written.' })
  createdAt!: string;

  @Field(() => DateTime, { description: 'When it was last changed.' })
  updatedAt!: string;
}

const text = { description: 'The text, 1 to 5,000 characters.' };

@InputType({ description: 'A note about a customer.' })
class CreateCustomerNoteInput {
  @Field(() => ID, { description: 'The customer.' })
  customerId!: string;

  @Field(() => String, text)
  text!: string;
}

@InputType({ description: 'Another text of a note.' })
class UpdateCustomerNoteInput {
  @Field(() => String, text)
  text!: string;
}

const CustomerNoteConnection = defineConnection<NoteRow>('CustomerNote', () => CustomerNote);

const id = { description: 'The note.' };
const byAuthor = 'Only its author may, and who has the permission `manage_settings`.';

const describeEditor = ({ tenant, permissions, client }: Context): NoteEditor => ({
  executorId: tenant.caller!.executorId,
  name: client?.signedIn?.operator.name ?? null,
  mayChangeAll: permissions.includes('manage_settings'),
});

@Resolver(() => CustomerNote)
export class CustomerNoteResolver {
  @Query(() => CustomerNote, {
    nullable: true,
    description: 'Returns a note about a customer by id.',
    permission: 'read',
    reasons: ['customer_note_not_found'],
  })
  customerNote(
    @CurrentTenant() tenant: TenantScope,
    @Arg('id', () => ID, id) noteId: string,
  ): Promise<NoteRow> {
    return findCustomerNote(tenant.read, noteId);
  }

  @Query(() => CustomerNoteConnection, {
    nullable: true,
    description: 'Lists the notes about a customer.',
    permission: 'read',
    reasons: ['customer_not_found', 'cursor_invalid'],
  })
  async customerNotes(
    @CurrentTenant() tenant: TenantScope,
    @Arg('customerId', () => ID, { description: 'The customer.' }) customerId: string,
    @Args(() => ConnectionArgs) page: ConnectionArgs,
  ) {
    return new CustomerNoteConnection(await listCustomerNotes(tenant, customerId, page));
  }

  @Mutation(() => CustomerNote, {
    nullable: true,
    description: 'Writes a note about a customer, who never sees it.',
    permission: 'manage_customers',
    reasons: ['customer_not_found'],
  })
  createCustomerNote(
    @CurrentTenant() tenant: TenantScope,
    @Ctx() context: Context,
    @Arg('input', () => CreateCustomerNoteInput, { description: 'The note.' }) input: CreateCustomerNoteInput,
  ): Promise<NoteRow> {
    return tenant.write((unit) => createCustomerNote(unit, describeEditor(context), input));
  }

  @Mutation(() => CustomerNote, {
    nullable: true,
    description: `Changes the text of a note. ${byAuthor}`,
    permission: 'manage_customers',
    reasons: ['customer_note_not_found'],
  })
  updateCustomerNote(
    @CurrentTenant() tenant: TenantScope,
    @Ctx() context: Context,
    @Arg('id', () => ID, id) noteId: string,
    @Arg('input', () => UpdateCustomerNoteInput, { description: 'The text.' }) input: UpdateCustomerNoteInput,
  ): Promise<NoteRow> {
    return tenant.write((unit) => updateCustomerNote(unit, describeEditor(context), noteId, input));
  }

  @Mutation(() => CustomerNote, {
    nullable: true,
    description: `Deletes a note. ${byAuthor}`,
    permission: 'manage_customers',
    reasons: ['customer_note_not_found'],
  })
  deleteCustomerNote(
    @CurrentTenant() tenant: TenantScope,
    @Ctx() context: Context,
    @Arg('id', () => ID, id) noteId: string,
  ): Promise<NoteRow> {
    return tenant.write((unit) => deleteCustomerNote(unit, describeEditor(context), noteId));
  }
}
