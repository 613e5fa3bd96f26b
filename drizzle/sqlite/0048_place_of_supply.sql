CREATE TABLE `union_sales` (
	`tenant_alias` text NOT NULL,
	`year` integer NOT NULL,
	`currency` text NOT NULL,
	`net_minor` integer NOT NULL,
	`warned_at` text,
	`exceeded_at` text,
	PRIMARY KEY(`tenant_alias`, `year`, `currency`),
	FOREIGN KEY (`tenant_alias`) REFERENCES `tenants`(`alias`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
ALTER TABLE `tenants` ADD `place_of_supply` text;--> statement-breakpoint
ALTER TABLE `tenants` ADD `product_kinds_since` text;--> statement-breakpoint
ALTER TABLE `products` ADD `kind` text;