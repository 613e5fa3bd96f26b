ALTER TABLE `products` ADD `catalog_place` text;--> statement-breakpoint
-- Data: the places of the products.
UPDATE `products` SET `catalog_place` = printf('%07d', coalesce(`sort_order`, 9999999)) || hex(coalesce(`name_lower`, `name`));--> statement-breakpoint
CREATE INDEX `products_place` ON `products` (`tenant_alias`,`catalog_place`,`id`) WHERE deleted_at is null;--> statement-breakpoint
CREATE INDEX `products_active_place` ON `products` (`tenant_alias`,`active`,`catalog_place`,`id`) WHERE deleted_at is null;--> statement-breakpoint
CREATE INDEX `products_place_in_group` ON `products` (`tenant_alias`,`group_id`,`catalog_place`,`id`) WHERE deleted_at is null;--> statement-breakpoint
CREATE INDEX `payments_decline_code` ON `payments` (`tenant_alias`,`decline_code`,`created_at`,`id`) WHERE decline_code is not null;