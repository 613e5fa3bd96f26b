DROP INDEX `subscriptions_one_in_group`;--> statement-breakpoint
DROP INDEX `subscriptions_one_of_product`;--> statement-breakpoint
CREATE INDEX `subscriptions_scheduled` ON `subscriptions` (`tenant_alias`,`next_intent_id`) WHERE next_intent_id is not null;--> statement-breakpoint
CREATE UNIQUE INDEX `subscriptions_one_in_group` ON `subscriptions` (`tenant_alias`,`group_id`,`customer_id`) WHERE cancelled_at is null and group_id is not null;--> statement-breakpoint
CREATE UNIQUE INDEX `subscriptions_one_of_product` ON `subscriptions` (`tenant_alias`,`product_id`,`customer_id`) WHERE cancelled_at is null;--> statement-breakpoint
-- Data: a running subscription is in the group that its product is in now, unless its customer has another one there.
UPDATE subscriptions SET group_id = (
  SELECT products.group_id FROM products
  WHERE products.tenant_alias = subscriptions.tenant_alias AND products.id = subscriptions.product_id
)
WHERE cancelled_at IS NULL
  AND EXISTS (
    SELECT 1 FROM products
    WHERE products.tenant_alias = subscriptions.tenant_alias AND products.id = subscriptions.product_id
      AND products.group_id IS DISTINCT FROM subscriptions.group_id
  )
  AND NOT EXISTS (
    SELECT 1 FROM products
    JOIN subscriptions AS others ON others.tenant_alias = products.tenant_alias
    LEFT JOIN products AS other_products
      ON other_products.tenant_alias = others.tenant_alias AND other_products.id = others.product_id
    WHERE products.tenant_alias = subscriptions.tenant_alias AND products.id = subscriptions.product_id
      AND others.customer_id = subscriptions.customer_id AND others.id <> subscriptions.id
      AND others.cancelled_at IS NULL
      AND (others.group_id = products.group_id OR other_products.group_id = products.group_id)
  );
