CREATE TABLE `union_sales_days` (
	`tenant_alias` text NOT NULL,
	`day` text NOT NULL,
	`currency` text NOT NULL,
	`net_minor` integer NOT NULL,
	`euro_minor` integer,
	PRIMARY KEY(`tenant_alias`, `day`, `currency`),
	FOREIGN KEY (`tenant_alias`) REFERENCES `tenants`(`alias`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
ALTER TABLE `tenants` ADD `renewed_rates` text;--> statement-breakpoint
ALTER TABLE `invoice_lines` ADD `product_kind` text;--> statement-breakpoint
ALTER TABLE `invoice_items` ADD `product_kind` text;