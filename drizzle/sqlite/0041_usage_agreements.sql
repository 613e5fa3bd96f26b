CREATE TABLE `commitment_windows` (
	`tenant_alias` text NOT NULL,
	`id` text NOT NULL,
	`customer_id` text NOT NULL,
	`subscription_id` text NOT NULL,
	`open_for` text,
	`commitment` text NOT NULL,
	`currency` text NOT NULL,
	`product_id` text NOT NULL,
	`product_name` text NOT NULL,
	`tax_behavior` text,
	`starts_at` text NOT NULL,
	`ends_at` text NOT NULL,
	`whole_start` text NOT NULL,
	`whole_end` text NOT NULL,
	`charges` text NOT NULL,
	`created_at` text NOT NULL,
	PRIMARY KEY(`tenant_alias`, `id`),
	FOREIGN KEY (`tenant_alias`) REFERENCES `tenants`(`alias`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE INDEX `commitment_windows_open` ON `commitment_windows` (`tenant_alias`,`open_for`,`id`) WHERE open_for is not null;--> statement-breakpoint
CREATE INDEX `commitment_windows_subscription` ON `commitment_windows` (`tenant_alias`,`subscription_id`,`id`);--> statement-breakpoint
CREATE INDEX `commitment_windows_customer` ON `commitment_windows` (`tenant_alias`,`customer_id`,`id`);--> statement-breakpoint
CREATE TABLE `usage_checks` (
	`tenant_alias` text NOT NULL,
	`id` text NOT NULL,
	`subscription_id` text NOT NULL,
	PRIMARY KEY(`tenant_alias`, `id`),
	FOREIGN KEY (`tenant_alias`) REFERENCES `tenants`(`alias`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE TABLE `usage_price_overrides` (
	`tenant_alias` text NOT NULL,
	`id` text NOT NULL,
	`customer_id` text NOT NULL,
	`subscription_id` text,
	`price_id` text NOT NULL,
	`currency` text NOT NULL,
	`pricing` text NOT NULL,
	`starts_at` text NOT NULL,
	`ends_at` text,
	`created_at` text NOT NULL,
	`updated_at` text NOT NULL,
	PRIMARY KEY(`tenant_alias`, `id`),
	FOREIGN KEY (`tenant_alias`) REFERENCES `tenants`(`alias`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE INDEX `usage_price_overrides_created` ON `usage_price_overrides` (`tenant_alias`,`created_at`,`id`);--> statement-breakpoint
CREATE INDEX `usage_price_overrides_customer` ON `usage_price_overrides` (`tenant_alias`,`customer_id`,`created_at`,`id`);--> statement-breakpoint
CREATE INDEX `usage_price_overrides_subscription` ON `usage_price_overrides` (`tenant_alias`,`subscription_id`,`created_at`,`id`) WHERE subscription_id is not null;--> statement-breakpoint
DROP INDEX `invoices_cycle`;--> statement-breakpoint
DROP INDEX `invoices_charging`;--> statement-breakpoint
CREATE UNIQUE INDEX `invoices_cycle` ON `invoices` (`tenant_alias`,`subscription_id`,`cycle_start`) WHERE billing_reason not in ('plan_change', 'subscription_end', 'usage_threshold');--> statement-breakpoint
CREATE INDEX `invoices_charging` ON `invoices` (`tenant_alias`,`charge_started_at`,`id`) WHERE charge_started_at is not null and billing_reason in ('one_off', 'subscription_end', 'usage_threshold');--> statement-breakpoint
ALTER TABLE `tenants` ADD `thresholds_since` text;--> statement-breakpoint
ALTER TABLE `intents` ADD `billing_threshold_minor` integer;--> statement-breakpoint
ALTER TABLE `intents` ADD `commitment` text;--> statement-breakpoint
ALTER TABLE `subscriptions` ADD `billing_threshold_minor` integer;--> statement-breakpoint
ALTER TABLE `subscriptions` ADD `commitment` text;--> statement-breakpoint
CREATE INDEX `subscriptions_threshold` ON `subscriptions` (`tenant_alias`,`customer_id`) WHERE cancelled_at is null and billing_threshold_minor is not null;--> statement-breakpoint
CREATE INDEX `usage_periods_subscription` ON `usage_periods` (`tenant_alias`,`subscription_id`,`starts_at`);