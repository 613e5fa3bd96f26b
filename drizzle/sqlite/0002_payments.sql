PRAGMA foreign_keys=OFF;--> statement-breakpoint
CREATE TABLE `__new_balance_entries` (
	`tenant_alias` text NOT NULL,
	`id` text NOT NULL,
	`customer_id` text NOT NULL,
	`currency` text NOT NULL,
	`kind` text NOT NULL,
	`amount_minor` integer NOT NULL,
	`remaining_minor` integer NOT NULL,
	`credit_id` text,
	`invoice_id` text,
	`created_at` text NOT NULL,
	PRIMARY KEY(`tenant_alias`, `id`),
	FOREIGN KEY (`tenant_alias`) REFERENCES `tenants`(`alias`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`tenant_alias`,`invoice_id`) REFERENCES `invoices`(`tenant_alias`,`id`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
INSERT INTO `__new_balance_entries`("tenant_alias", "id", "customer_id", "currency", "kind", "amount_minor", "remaining_minor", "credit_id", "invoice_id", "created_at") SELECT "tenant_alias", "id", "customer_id", "currency", "kind", "amount_minor", "remaining_minor", "credit_id", "invoice_id", "created_at" FROM `balance_entries`;--> statement-breakpoint
DROP TABLE `balance_entries`;--> statement-breakpoint
ALTER TABLE `__new_balance_entries` RENAME TO `balance_entries`;--> statement-breakpoint
PRAGMA foreign_keys=ON;--> statement-breakpoint
CREATE INDEX `balance_entries_customer` ON `balance_entries` (`tenant_alias`,`customer_id`,`currency`,`id`);--> statement-breakpoint
CREATE INDEX `balance_entries_invoice` ON `balance_entries` (`tenant_alias`,`invoice_id`,`id`);--> statement-breakpoint
CREATE INDEX `balance_entries_credit` ON `balance_entries` (`tenant_alias`,`credit_id`,`id`);--> statement-breakpoint
ALTER TABLE `invoices` ADD `due_at` text;--> statement-breakpoint
ALTER TABLE `subscriptions` ADD `cancel_at` text;--> statement-breakpoint
ALTER TABLE `tenants` ADD `payment_providers` text;--> statement-breakpoint
ALTER TABLE `tenants` ADD `payment_terms_days` integer;--> statement-breakpoint
ALTER TABLE `tenants` ADD `bank_account` text;