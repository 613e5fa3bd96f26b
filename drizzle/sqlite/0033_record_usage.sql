CREATE TABLE `meters` (
	`tenant_alias` text NOT NULL,
	`id` text NOT NULL,
	`name` text NOT NULL,
	`event` text NOT NULL,
	`aggregation` text NOT NULL,
	`value` text,
	`group_by` text NOT NULL,
	`filter` text NOT NULL,
	`persistent` integer NOT NULL,
	`unit_multiplier` text NOT NULL,
	`starts_at` text NOT NULL,
	`archived_at` text,
	`created_at` text NOT NULL,
	`updated_at` text NOT NULL,
	PRIMARY KEY(`tenant_alias`, `id`),
	FOREIGN KEY (`tenant_alias`) REFERENCES `tenants`(`alias`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE INDEX `meters_created` ON `meters` (`tenant_alias`,`created_at`,`id`);--> statement-breakpoint
CREATE INDEX `meters_event` ON `meters` (`tenant_alias`,`event`,`created_at`,`id`);--> statement-breakpoint
CREATE TABLE `usage_events` (
	`tenant_alias` text NOT NULL,
	`id` text NOT NULL,
	`event_id` text NOT NULL,
	`event` text NOT NULL,
	`customer_id` text,
	`associated_id` text,
	`at` text NOT NULL,
	`properties` text NOT NULL,
	`received_at` text NOT NULL,
	`voided_at` text,
	PRIMARY KEY(`tenant_alias`, `id`),
	FOREIGN KEY (`tenant_alias`) REFERENCES `tenants`(`alias`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE INDEX `usage_events_customer` ON `usage_events` (`tenant_alias`,`customer_id`,`at`,`id`) WHERE customer_id is not null;--> statement-breakpoint
CREATE INDEX `usage_events_waiting` ON `usage_events` (`tenant_alias`,`associated_id`,`id`) WHERE customer_id is null;--> statement-breakpoint
CREATE TABLE `usage_ids` (
	`tenant_alias` text NOT NULL,
	`span` text NOT NULL,
	`event_id` text NOT NULL,
	`id` text NOT NULL,
	PRIMARY KEY(`tenant_alias`, `span`, `event_id`),
	FOREIGN KEY (`tenant_alias`) REFERENCES `tenants`(`alias`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE TABLE `usage_buckets` (
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
CREATE INDEX `usage_buckets_time` ON `usage_buckets` (`tenant_alias`,`meter_id`,`starts_at`);--> statement-breakpoint
CREATE TABLE `usage_values` (
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
ALTER TABLE `tenants` ADD `usage_since` text;