ALTER TABLE `customers` ADD `first_name_lower` text;--> statement-breakpoint
ALTER TABLE `customers` ADD `last_name_lower` text;--> statement-breakpoint
ALTER TABLE `customers` ADD `company_name_lower` text;--> statement-breakpoint
CREATE INDEX `customers_first_name` ON `customers` (`tenant_alias`,`first_name_lower`,`last_name_lower`,`id`);--> statement-breakpoint
CREATE INDEX `customers_last_name` ON `customers` (`tenant_alias`,`last_name_lower`,`first_name_lower`,`id`);--> statement-breakpoint
CREATE INDEX `customers_company_name` ON `customers` (`tenant_alias`,`company_name_lower`,`id`) WHERE company_name_lower is not null;--> statement-breakpoint
ALTER TABLE `coupons` ADD `name_lower` text;--> statement-breakpoint
CREATE INDEX `coupons_name` ON `coupons` (`tenant_alias`,`name_lower`,`id`);--> statement-breakpoint
CREATE INDEX `products_name` ON `products` (`tenant_alias`,`name_lower`,`id`) WHERE deleted_at is null;--> statement-breakpoint
CREATE INDEX `invoices_sent` ON `invoices` (`tenant_alias`,`created_at`,`id`) WHERE due_at is not null;--> statement-breakpoint
CREATE INDEX `mail_deliveries_recipient` ON `mail_deliveries` (`tenant_alias`,`recipient`,`created_at`,`id`);--> statement-breakpoint
-- fill: customers.first_name_lower = lower(first_name)
--> statement-breakpoint
-- fill: customers.last_name_lower = lower(last_name)
--> statement-breakpoint
-- fill: customers.company_name_lower = lower(company_name)
--> statement-breakpoint
-- fill: coupons.name_lower = lower(name)
