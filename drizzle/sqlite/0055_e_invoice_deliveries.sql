CREATE TABLE `e_invoice_deliveries` (
	`tenant_alias` text NOT NULL,
	`id` text NOT NULL,
	`kind` text NOT NULL,
	`customer_id` text NOT NULL,
	`format` text NOT NULL,
	`status` text NOT NULL,
	`attempt` integer NOT NULL,
	`tries` text NOT NULL,
	`edition` integer NOT NULL,
	`due_at` text,
	`claimed_until` text,
	`body` text,
	`reference` text,
	`last_error` text,
	`created_at` text NOT NULL,
	`status_at` text NOT NULL,
	PRIMARY KEY(`tenant_alias`, `id`),
	FOREIGN KEY (`tenant_alias`) REFERENCES `tenants`(`alias`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE INDEX `e_invoice_deliveries_due` ON `e_invoice_deliveries` (`tenant_alias`,`due_at`,`id`) WHERE due_at is not null;--> statement-breakpoint
CREATE INDEX `e_invoice_deliveries_customer` ON `e_invoice_deliveries` (`tenant_alias`,`customer_id`,`id`);--> statement-breakpoint
CREATE INDEX `e_invoice_deliveries_status` ON `e_invoice_deliveries` (`tenant_alias`,`status`,`created_at`,`id`);--> statement-breakpoint
ALTER TABLE `tenants` ADD `e_invoice_formats` text;--> statement-breakpoint
ALTER TABLE `invoices` ADD `e_invoice_status` text;--> statement-breakpoint
CREATE INDEX `invoices_e_invoice` ON `invoices` (`tenant_alias`,`e_invoice_status`,`created_at`,`id`) WHERE e_invoice_status is not null;--> statement-breakpoint
ALTER TABLE `credit_notes` ADD `e_invoice_status` text;--> statement-breakpoint
CREATE INDEX `credit_notes_e_invoice` ON `credit_notes` (`tenant_alias`,`e_invoice_status`,`created_at`,`id`) WHERE e_invoice_status is not null;