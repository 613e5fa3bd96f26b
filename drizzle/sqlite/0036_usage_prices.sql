CREATE TABLE `usage_periods` (
	`tenant_alias` text NOT NULL,
	`id` text NOT NULL,
	`customer_id` text NOT NULL,
	`subscription_id` text NOT NULL,
	`open_for` text,
	`meter_id` text NOT NULL,
	`price_id` text NOT NULL,
	`is_add_on` integer NOT NULL,
	`product_id` text NOT NULL,
	`product_name` text NOT NULL,
	`currency` text NOT NULL,
	`frequency` text NOT NULL,
	`period` integer NOT NULL,
	`anchor` text NOT NULL,
	`pricing` text NOT NULL,
	`tax_behavior` text,
	`starts_at` text NOT NULL,
	`ends_at` text,
	`charges` text NOT NULL,
	`created_at` text NOT NULL,
	PRIMARY KEY(`tenant_alias`, `id`),
	FOREIGN KEY (`tenant_alias`) REFERENCES `tenants`(`alias`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE INDEX `usage_periods_open` ON `usage_periods` (`tenant_alias`,`open_for`,`id`) WHERE open_for is not null;--> statement-breakpoint
CREATE INDEX `usage_periods_meter` ON `usage_periods` (`tenant_alias`,`meter_id`,`ends_at`);--> statement-breakpoint
CREATE INDEX `usage_periods_customer` ON `usage_periods` (`tenant_alias`,`customer_id`,`id`);--> statement-breakpoint
ALTER TABLE `prices` ADD `meter_id` text;--> statement-breakpoint
CREATE INDEX `prices_meter` ON `prices` (`tenant_alias`,`meter_id`,`id`) WHERE meter_id is not null;--> statement-breakpoint
ALTER TABLE `subscriptions` ADD `usage_since` text;