CREATE TABLE `mrr_movements` (
	`tenant_alias` text NOT NULL,
	`id` text NOT NULL,
	`customer_id` text NOT NULL,
	`subscription_id` text NOT NULL,
	`currency` text NOT NULL,
	`at` text NOT NULL,
	`kind` text NOT NULL,
	`amount_minor` integer NOT NULL,
	`mrr_after_minor` integer NOT NULL,
	`subscriptions` integer NOT NULL,
	`definitions` integer NOT NULL,
	`is_standard` integer NOT NULL,
	`cohort_at` text NOT NULL,
	PRIMARY KEY(`tenant_alias`, `id`),
	FOREIGN KEY (`tenant_alias`) REFERENCES `tenants`(`alias`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE INDEX `mrr_movements_sums` ON `mrr_movements` (`tenant_alias`,`currency`,`at`,`kind`,`definitions`,`cohort_at`,`amount_minor`,`subscriptions`);--> statement-breakpoint
CREATE INDEX `mrr_movements_at` ON `mrr_movements` (`tenant_alias`,`is_standard`,`at`,`id`);--> statement-breakpoint
CREATE INDEX `mrr_movements_kind` ON `mrr_movements` (`tenant_alias`,`is_standard`,`kind`,`at`,`id`);--> statement-breakpoint
CREATE INDEX `mrr_movements_customer` ON `mrr_movements` (`tenant_alias`,`customer_id`,`at`,`id`);--> statement-breakpoint
CREATE TABLE `revenue_sums` (
	`tenant_alias` text NOT NULL,
	`currency` text NOT NULL,
	`span` text NOT NULL,
	`at` text NOT NULL,
	`invoiced_minor` integer NOT NULL,
	`paid_minor` integer NOT NULL,
	`refunded_minor` integer NOT NULL,
	`credited_minor` integer NOT NULL,
	`failed_count` integer NOT NULL,
	`failed_minor` integer NOT NULL,
	`recovered_count` integer NOT NULL,
	`recovered_minor` integer NOT NULL,
	`trials_started` integer NOT NULL,
	`trials_converted` integer NOT NULL,
	`trials_lost` integer NOT NULL,
	PRIMARY KEY(`tenant_alias`, `currency`, `span`, `at`),
	FOREIGN KEY (`tenant_alias`) REFERENCES `tenants`(`alias`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
ALTER TABLE `tenants` ADD `revenue_since` text;--> statement-breakpoint
ALTER TABLE `subscriptions` ADD `mrr` text;