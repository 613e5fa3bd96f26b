ALTER TABLE `tenants` ADD `credit_vouchers` text;--> statement-breakpoint
ALTER TABLE `invoices` ADD `top_up` text;--> statement-breakpoint
ALTER TABLE `balance_entries` ADD `line_id` text;--> statement-breakpoint
ALTER TABLE `balance_entries` ADD `category` text;--> statement-breakpoint
ALTER TABLE `balance_entries` ADD `before_tax` integer;--> statement-breakpoint
ALTER TABLE `balance_entries` ADD `cost_basis` text;--> statement-breakpoint
ALTER TABLE `balance_entries` ADD `priority` integer;--> statement-breakpoint
ALTER TABLE `balance_entries` ADD `effective_at` text;--> statement-breakpoint
ALTER TABLE `balance_entries` ADD `rollover` text;--> statement-breakpoint
ALTER TABLE `balance_entries` ADD `applies_to` text;--> statement-breakpoint
ALTER TABLE `balance_entries` ADD `voided_at` text;--> statement-breakpoint
ALTER TABLE `balance_entries` ADD `alerted_percent` integer;--> statement-breakpoint
CREATE INDEX `balance_entries_grants` ON `balance_entries` (`tenant_alias`,`created_at`,`id`) WHERE kind = 'grant';--> statement-breakpoint
CREATE INDEX `balance_entries_customer_grants` ON `balance_entries` (`tenant_alias`,`customer_id`,`created_at`,`id`) WHERE kind = 'grant';