CREATE TABLE `tax_sums` (
	`tenant_alias` text NOT NULL,
	`day` text NOT NULL,
	`currency` text NOT NULL,
	`kind` text NOT NULL,
	`country` text NOT NULL,
	`category` text NOT NULL,
	`percent` text NOT NULL,
	`reason` text NOT NULL,
	`documents` integer NOT NULL,
	`taxable_minor` integer NOT NULL,
	`tax_minor` integer NOT NULL,
	PRIMARY KEY(`tenant_alias`, `day`, `currency`, `kind`, `country`, `category`, `percent`, `reason`),
	FOREIGN KEY (`tenant_alias`) REFERENCES `tenants`(`alias`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE TABLE `tax_progress` (
	`tenant_alias` text PRIMARY KEY NOT NULL,
	`until` text NOT NULL,
	`changes` integer NOT NULL,
	FOREIGN KEY (`tenant_alias`) REFERENCES `tenants`(`alias`) ON UPDATE no action ON DELETE no action
);
