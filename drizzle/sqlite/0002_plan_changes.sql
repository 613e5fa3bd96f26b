DROP INDEX `subscriptions_one_in_group`;--> statement-breakpoint
DROP INDEX `subscriptions_one_of_product`;--> statement-breakpoint
CREATE INDEX `subscriptions_scheduled` ON `subscriptions` (`tenant_alias`,`next_intent_id`) WHERE next_intent_id is not null;--> statement-breakpoint
CREATE UNIQUE INDEX `subscriptions_one_in_group` ON `subscriptions` (`tenant_alias`,`group_id`,`customer_id`) WHERE cancelled_at is null and group_id is not null;--> statement-breakpoint
CREATE UNIQUE INDEX `subscriptions_one_of_product` ON `subscriptions` (`tenant_alias`,`product_id`,`customer_id`) WHERE cancelled_at is null;