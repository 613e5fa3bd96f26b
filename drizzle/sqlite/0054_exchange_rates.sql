CREATE TABLE `exchange_rates` (
	`tenant_alias` text NOT NULL,
	`day` text NOT NULL,
	`source` text NOT NULL,
	`rates` text NOT NULL,
	`created_at` text NOT NULL,
	`updated_at` text NOT NULL,
	PRIMARY KEY(`tenant_alias`, `day`, `source`),
	FOREIGN KEY (`tenant_alias`) REFERENCES `tenants`(`alias`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE TABLE `tax_conversions` (
	`tenant_alias` text NOT NULL,
	`id` text NOT NULL,
	`document_currency` text NOT NULL,
	`currency` text NOT NULL,
	`day` text NOT NULL,
	`tax_minor` integer,
	`rates` text,
	`rate_day` text,
	`source` text,
	`created_at` text NOT NULL,
	PRIMARY KEY(`tenant_alias`, `id`),
	FOREIGN KEY (`tenant_alias`) REFERENCES `tenants`(`alias`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE INDEX `tax_conversions_missing` ON `tax_conversions` (`tenant_alias`,`day`,`id`) WHERE tax_minor is null;--> statement-breakpoint
ALTER TABLE `tenants` ADD `tax_currency` text;