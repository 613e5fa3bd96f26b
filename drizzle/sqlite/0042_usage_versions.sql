CREATE TABLE `backfill_buckets` (
	`tenant_alias` text NOT NULL,
	`meter_id` text NOT NULL,
	`customer_id` text NOT NULL,
	`starts_at` text NOT NULL,
	`group_key` text NOT NULL,
	`events` integer NOT NULL,
	`sum` text,
	`moment` text,
	`highest` text,
	`lowest` text,
	`latest` text,
	`latest_at` text,
	`latest_id` text,
	PRIMARY KEY(`tenant_alias`, `meter_id`, `customer_id`, `starts_at`, `group_key`),
	FOREIGN KEY (`tenant_alias`) REFERENCES `tenants`(`alias`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE INDEX `backfill_buckets_time` ON `backfill_buckets` (`tenant_alias`,`meter_id`,`starts_at`);--> statement-breakpoint
CREATE TABLE `backfill_values` (
	`tenant_alias` text NOT NULL,
	`meter_id` text NOT NULL,
	`customer_id` text NOT NULL,
	`starts_at` text NOT NULL,
	`group_key` text NOT NULL,
	`value` text NOT NULL,
	PRIMARY KEY(`tenant_alias`, `meter_id`, `customer_id`, `starts_at`, `group_key`, `value`),
	FOREIGN KEY (`tenant_alias`) REFERENCES `tenants`(`alias`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
ALTER TABLE `tenants` ADD `usage_retention_days` integer;--> statement-breakpoint
ALTER TABLE `tenants` ADD `usage_forgotten_until` text;--> statement-breakpoint
ALTER TABLE `meters` ADD `earlier_versions` text;--> statement-breakpoint
ALTER TABLE `usage_events` ADD `backfilled` integer;--> statement-breakpoint
CREATE INDEX `usage_periods_begun` ON `usage_periods` (`tenant_alias`,`starts_at`,`id`);