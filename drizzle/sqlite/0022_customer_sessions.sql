CREATE TABLE `customer_sessions` (
	`tenant_alias` text NOT NULL,
	`id` text NOT NULL,
	`customer_id` text NOT NULL,
	`token_hash` text NOT NULL,
	`allow` text NOT NULL,
	`expires_at` text NOT NULL,
	`revoked_at` text,
	`created_at` text NOT NULL,
	PRIMARY KEY(`tenant_alias`, `id`),
	FOREIGN KEY (`tenant_alias`) REFERENCES `tenants`(`alias`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE UNIQUE INDEX `customer_sessions_token` ON `customer_sessions` (`tenant_alias`,`token_hash`);--> statement-breakpoint
CREATE INDEX `customer_sessions_customer` ON `customer_sessions` (`tenant_alias`,`customer_id`,`created_at`,`id`);--> statement-breakpoint
CREATE INDEX `customer_sessions_expiry` ON `customer_sessions` (`tenant_alias`,`expires_at`,`id`);