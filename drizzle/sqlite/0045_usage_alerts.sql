CREATE TABLE `limit_checks` (
	`tenant_alias` text NOT NULL,
	`id` text NOT NULL,
	`customer_id` text NOT NULL,
	PRIMARY KEY(`tenant_alias`, `id`),
	FOREIGN KEY (`tenant_alias`) REFERENCES `tenants`(`alias`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE INDEX `limit_checks_customer` ON `limit_checks` (`tenant_alias`,`customer_id`,`id`);--> statement-breakpoint
CREATE TABLE `limit_alerts` (
	`tenant_alias` text NOT NULL,
	`id` text NOT NULL,
	`customer_id` text NOT NULL,
	`feature` text NOT NULL,
	`period_start` text NOT NULL,
	`percent` integer NOT NULL,
	PRIMARY KEY(`tenant_alias`, `id`),
	FOREIGN KEY (`tenant_alias`) REFERENCES `tenants`(`alias`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE UNIQUE INDEX `limit_alerts_customer` ON `limit_alerts` (`tenant_alias`,`customer_id`,`feature`,`period_start`);--> statement-breakpoint
ALTER TABLE `meters` ADD `alerts_since` text;--> statement-breakpoint
ALTER TABLE `features` ADD `alert_percents` text;