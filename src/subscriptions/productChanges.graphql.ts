import { Arg, Ctx, ID, Mutation, Resolver } from 'type-graphql';
import { Product, productId, UpdateProductInput } from '../catalog/products.graphql.ts';
import type { ProductRow } from '../catalog/products.ts';
import { tenantAlias } from '../graphql/arguments.ts';
import type { Context } from '../graphql/context.ts';
import { deleteProduct, updateProduct } from './productChanges.ts';

/** The changes of a product that concern those who subscribe to it. */
@Resolver()
export class ProductChangesResolver {
  @Mutation(() => Product, {
    nullable: true,
    description:
      'Changes a product; subscriptions keep what they agreed to, and follow it into another group. A move ' +
      'that would give a customer two subscriptions of one group is refused.',
  })
  updateProduct(
    @Ctx() context: Context,
    @Arg('id', () => ID, productId) id: string,
    @Arg('input', () => UpdateProductInput, { description: 'What to change.' }) input: UpdateProductInput,
    @Arg('tenantAlias', () => String, tenantAlias) alias?: string,
  ): Promise<ProductRow> {
    return context.tenant(alias).write((unit) => updateProduct(unit, id, input));
  }

  @Mutation(() => Product, {
    nullable: true,
    description:
      'Deletes a product: only its group still shows it, and nobody can subscribe to it any more. ' +
      'Subscriptions go on; intents that have not been paid are cancelled.',
  })
  deleteProduct(
    @Ctx() context: Context,
    @Arg('id', () => ID, productId) id: string,
    @Arg('tenantAlias', () => String, tenantAlias) alias?: string,
  ): Promise<ProductRow> {
    return context.tenant(alias).write((unit) => deleteProduct(unit, id));
  }
}
