CREATE TABLE `credit_types` (
	`tenant_alias` text NOT NULL,
	`id` text NOT NULL,
	`name` text NOT NULL,
	`rates` text NOT NULL,
	`created_at` text NOT NULL,
	`updated_at` text NOT NULL,
	PRIMARY KEY(`tenant_alias`, `id`),
	FOREIGN KEY (`tenant_alias`) REFERENCES `tenants`(`alias`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE INDEX `credit_types_created` ON `credit_types` (`tenant_alias`,`created_at`,`id`);--> statement-breakpoint
CREATE TABLE `auto_top_ups` (
	`tenant_alias` text NOT NULL,
	`id` text NOT NULL,
	`customer_id` text NOT NULL,
	`pool` text NOT NULL,
	`currency` text NOT NULL,
	`credit_type_id` text,
	`name` text NOT NULL,
	`threshold_minor` integer NOT NULL,
	`amount_minor` integer NOT NULL,
	`cost_basis` text NOT NULL,
	`expires_after` text,
	`monthly_limit` integer NOT NULL,
	`check_at` text,
	`last_invoice_id` text,
	`month` text,
	`sold_in_month` integer NOT NULL,
	`created_at` text NOT NULL,
	`updated_at` text NOT NULL,
	PRIMARY KEY(`tenant_alias`, `id`),
	FOREIGN KEY (`tenant_alias`) REFERENCES `tenants`(`alias`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE UNIQUE INDEX `auto_top_ups_customer` ON `auto_top_ups` (`tenant_alias`,`customer_id`,`pool`);--> statement-breakpoint
CREATE INDEX `auto_top_ups_created` ON `auto_top_ups` (`tenant_alias`,`created_at`,`id`);--> statement-breakpoint
CREATE INDEX `auto_top_ups_due` ON `auto_top_ups` (`tenant_alias`,`check_at`,`id`) WHERE check_at is not null;--> statement-breakpoint
ALTER TABLE `balance_entries` ADD `credit_type_id` text;--> statement-breakpoint
ALTER TABLE `balance_entries` ADD `breakage_minor` integer;--> statement-breakpoint
CREATE INDEX `balance_entries_breakage` ON `balance_entries` (`tenant_alias`,`currency`,`created_at`,`id`) WHERE breakage_minor is not null;