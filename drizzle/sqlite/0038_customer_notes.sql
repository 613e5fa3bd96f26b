CREATE TABLE `customer_notes` (
	`tenant_alias` text NOT NULL,
	`id` text NOT NULL,
	`customer_id` text NOT NULL,
	`text` text NOT NULL,
	`author_id` text NOT NULL,
	`author_name` text,
	`created_at` text NOT NULL,
	`updated_at` text NOT NULL,
	PRIMARY KEY(`tenant_alias`, `id`),
	FOREIGN KEY (`tenant_alias`) REFERENCES `tenants`(`alias`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE INDEX `customer_notes_customer` ON `customer_notes` (`tenant_alias`,`customer_id`,`created_at`,`id`);