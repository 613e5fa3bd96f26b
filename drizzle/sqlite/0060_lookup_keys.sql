ALTER TABLE `products` ADD `lookup_key` text;--> statement-breakpoint
CREATE UNIQUE INDEX `products_lookup_key` ON `products` (`tenant_alias`,`lookup_key`) WHERE lookup_key is not null;--> statement-breakpoint
ALTER TABLE `prices` ADD `lookup_key` text;--> statement-breakpoint
CREATE UNIQUE INDEX `prices_lookup_key` ON `prices` (`tenant_alias`,`lookup_key`) WHERE lookup_key is not null;--> statement-breakpoint
ALTER TABLE `coupons` ADD `lookup_key` text;--> statement-breakpoint
CREATE UNIQUE INDEX `coupons_lookup_key` ON `coupons` (`tenant_alias`,`lookup_key`) WHERE lookup_key is not null;