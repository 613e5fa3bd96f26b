import { Arg, ID, Resolver } from 'type-graphql';
import { Mutation } from '../../graphql/operations.ts';
import { UpdateProductInput } from '../catalog/productInput.graphql.ts';
import { Product, productId } from '../catalog/products.graphql.ts';
import type { ProductRow } from '../catalog/products.ts';
import { CurrentTenant } from '../../graphql/arguments.ts';
import { deleteProduct, updateProduct } from './productChanges.ts';
import type { TenantScope } from '../../tenancy/tenantScope.ts';

/** The changes of a product that affect its subscriptions. */
@Resolver()
export class ProductChangesResolver {
  @Mutation(() => Product, {
    nullable: true,
    description:
      'Changes a product. Existing subscriptions keep their terms and follow it into another group. A move ' +
      'that would give a customer two subscriptions in one group is refused.',
    permission: 'manage_catalog',
    reasons: ['product_not_found', 'group_not_found', 'group_conflict', 'lookup_key_exists'],
  })
  updateProduct(
    @CurrentTenant() tenant: TenantScope,
    @Arg('id', () => ID, productId) id: string,
    @Arg('input', () => UpdateProductInput, { description: 'The changes.' }) input: UpdateProductInput,
  ): Promise<ProductRow> {
    return tenant.write((unit) => updateProduct(unit, id, input));
  }

  @Mutation(() => Product, {
    nullable: true,
    description:
      'Deletes a product. Only its group still lists it, and new subscriptions are refused. Existing ' +
      'subscriptions continue; unpaid intents are cancelled.',
    permission: 'manage_catalog',
    proposable: true,
    reasons: ['product_not_found'],
  })
  deleteProduct(
    @CurrentTenant() tenant: TenantScope,
    @Arg('id', () => ID, productId) id: string,
  ): Promise<ProductRow> {
    return tenant.write((unit) => deleteProduct(unit, id));
  }
}
