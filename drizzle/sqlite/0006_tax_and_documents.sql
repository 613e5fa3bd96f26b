CREATE TABLE `credit_notes` (
	`tenant_alias` text NOT NULL,
	`id` text NOT NULL,
	`document_number` text NOT NULL,
	`invoice_id` text NOT NULL,
	`customer_id` text NOT NULL,
	`kind` text NOT NULL,
	`status` text NOT NULL,
	`reason` text,
	`memo` text,
	`currency` text NOT NULL,
	`total_minor` integer NOT NULL,
	`taxes` text,
	`lines` text NOT NULL,
	`payment_id` text,
	`issued_at` text NOT NULL,
	`created_at` text NOT NULL,
	`updated_at` text NOT NULL,
	PRIMARY KEY(`tenant_alias`, `id`),
	FOREIGN KEY (`tenant_alias`) REFERENCES `tenants`(`alias`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`tenant_alias`,`invoice_id`) REFERENCES `invoices`(`tenant_alias`,`id`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE UNIQUE INDEX `credit_notes_document_number` ON `credit_notes` (`tenant_alias`,`document_number`);--> statement-breakpoint
CREATE INDEX `credit_notes_created` ON `credit_notes` (`tenant_alias`,`created_at`,`id`);--> statement-breakpoint
CREATE INDEX `credit_notes_invoice` ON `credit_notes` (`tenant_alias`,`invoice_id`,`created_at`,`id`);--> statement-breakpoint
CREATE INDEX `credit_notes_customer` ON `credit_notes` (`tenant_alias`,`customer_id`,`created_at`,`id`);--> statement-breakpoint
CREATE INDEX `credit_notes_payment` ON `credit_notes` (`tenant_alias`,`payment_id`) WHERE payment_id is not null;--> statement-breakpoint
CREATE TABLE `tax_rates` (
	`tenant_alias` text NOT NULL,
	`id` text NOT NULL,
	`name` text,
	`country` text NOT NULL,
	`region` text,
	`postcode` text,
	`tax_code` text,
	`category` text NOT NULL,
	`percent` text NOT NULL,
	`effective_from` text NOT NULL,
	`archived_at` text,
	`created_at` text NOT NULL,
	`updated_at` text NOT NULL,
	PRIMARY KEY(`tenant_alias`, `id`),
	FOREIGN KEY (`tenant_alias`) REFERENCES `tenants`(`alias`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE INDEX `tax_rates_created` ON `tax_rates` (`tenant_alias`,`created_at`,`id`);--> statement-breakpoint
CREATE INDEX `tax_rates_country` ON `tax_rates` (`tenant_alias`,`country`,`created_at`,`id`);--> statement-breakpoint
CREATE TABLE `number_counters` (
	`tenant_alias` text NOT NULL,
	`id` text NOT NULL,
	`value` integer NOT NULL,
	PRIMARY KEY(`tenant_alias`, `id`),
	FOREIGN KEY (`tenant_alias`) REFERENCES `tenants`(`alias`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE TABLE `documents` (
	`tenant_alias` text NOT NULL,
	`id` text NOT NULL,
	`customer_id` text NOT NULL,
	`record` text NOT NULL,
	`created_at` text NOT NULL,
	PRIMARY KEY(`tenant_alias`, `id`),
	FOREIGN KEY (`tenant_alias`) REFERENCES `tenants`(`alias`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE INDEX `documents_customer` ON `documents` (`tenant_alias`,`customer_id`,`id`);--> statement-breakpoint
CREATE TABLE `logos` (
	`tenant_alias` text NOT NULL,
	`id` text NOT NULL,
	`content_type` text NOT NULL,
	`base64` text NOT NULL,
	`created_at` text NOT NULL,
	PRIMARY KEY(`tenant_alias`, `id`),
	FOREIGN KEY (`tenant_alias`) REFERENCES `tenants`(`alias`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
ALTER TABLE `tenants` ADD `seller` text;--> statement-breakpoint
ALTER TABLE `tenants` ADD `invoice_grace_hours` integer;--> statement-breakpoint
ALTER TABLE `tenants` ADD `number_series` text;--> statement-breakpoint
ALTER TABLE `customers` ADD `company_name` text;--> statement-breakpoint
ALTER TABLE `customers` ADD `address` text;--> statement-breakpoint
ALTER TABLE `customers` ADD `tax_ids` text;--> statement-breakpoint
ALTER TABLE `customers` ADD `tax_exempt` integer;--> statement-breakpoint
ALTER TABLE `customers` ADD `locale` text;--> statement-breakpoint
ALTER TABLE `customers` ADD `tax_rate_id` text;--> statement-breakpoint
ALTER TABLE `products` ADD `tax_code` text;--> statement-breakpoint
ALTER TABLE `prices` ADD `tax_behavior` text;--> statement-breakpoint
ALTER TABLE `intents` ADD `tax_behavior` text;--> statement-breakpoint
ALTER TABLE `intents` ADD `tax` text;--> statement-breakpoint
ALTER TABLE `subscriptions` ADD `tax_behavior` text;--> statement-breakpoint
ALTER TABLE `invoices` ADD `taxes` text;--> statement-breakpoint
ALTER TABLE `invoices` ADD `document_number` text;--> statement-breakpoint
ALTER TABLE `invoices` ADD `issued_at` text;--> statement-breakpoint
ALTER TABLE `invoices` ADD `finalize_at` text;--> statement-breakpoint
ALTER TABLE `invoices` ADD `credited_minor` integer;--> statement-breakpoint
ALTER TABLE `invoices` ADD `uncharged_minor` integer;--> statement-breakpoint
CREATE UNIQUE INDEX `invoices_document_number` ON `invoices` (`tenant_alias`,`document_number`) WHERE document_number is not null;--> statement-breakpoint
CREATE INDEX `invoices_finalizing` ON `invoices` (`tenant_alias`,`finalize_at`,`id`) WHERE finalize_at is not null;--> statement-breakpoint
ALTER TABLE `invoice_lines` ADD `tax` text;--> statement-breakpoint
ALTER TABLE `invoice_lines` ADD `product_id` text;--> statement-breakpoint
ALTER TABLE `invoice_items` ADD `tax_behavior` text;--> statement-breakpoint
ALTER TABLE `invoice_items` ADD `tax_terms` text;