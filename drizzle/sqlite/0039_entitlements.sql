CREATE TABLE `usage_totals` (
	`tenant_alias` text NOT NULL,
	`meter_id` text NOT NULL,
	`customer_id` text NOT NULL,
	`starts_at` text NOT NULL,
	`ends_at` text NOT NULL,
	`events` integer NOT NULL,
	`sum` text NOT NULL,
	PRIMARY KEY(`tenant_alias`, `meter_id`, `customer_id`, `starts_at`, `ends_at`),
	FOREIGN KEY (`tenant_alias`) REFERENCES `tenants`(`alias`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE INDEX `usage_totals_end` ON `usage_totals` (`tenant_alias`,`ends_at`);--> statement-breakpoint
CREATE TABLE `features` (
	`tenant_alias` text NOT NULL,
	`id` text NOT NULL,
	`key` text NOT NULL,
	`name` text NOT NULL,
	`kind` text NOT NULL,
	`meter_id` text,
	`archived_at` text,
	`created_at` text NOT NULL,
	`updated_at` text NOT NULL,
	PRIMARY KEY(`tenant_alias`, `id`),
	FOREIGN KEY (`tenant_alias`) REFERENCES `tenants`(`alias`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE UNIQUE INDEX `features_key` ON `features` (`tenant_alias`,`key`);--> statement-breakpoint
CREATE INDEX `features_created` ON `features` (`tenant_alias`,`created_at`,`id`);--> statement-breakpoint
CREATE INDEX `features_kind` ON `features` (`tenant_alias`,`kind`,`created_at`,`id`);--> statement-breakpoint
CREATE INDEX `features_meter` ON `features` (`tenant_alias`,`meter_id`,`id`) WHERE meter_id is not null;--> statement-breakpoint
CREATE TABLE `product_entitlements` (
	`tenant_alias` text NOT NULL,
	`id` text NOT NULL,
	`product_id` text NOT NULL,
	`feature` text NOT NULL,
	`terms` text,
	`since` text NOT NULL,
	`reach` text NOT NULL,
	`earlier` text NOT NULL,
	`created_at` text NOT NULL,
	`updated_at` text NOT NULL,
	PRIMARY KEY(`tenant_alias`, `id`),
	FOREIGN KEY (`tenant_alias`) REFERENCES `tenants`(`alias`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE UNIQUE INDEX `product_entitlements_product` ON `product_entitlements` (`tenant_alias`,`product_id`,`feature`);--> statement-breakpoint
CREATE TABLE `entitlement_overrides` (
	`tenant_alias` text NOT NULL,
	`id` text NOT NULL,
	`customer_id` text NOT NULL,
	`feature` text NOT NULL,
	`terms` text NOT NULL,
	`ends_at` text,
	`created_at` text NOT NULL,
	`updated_at` text NOT NULL,
	PRIMARY KEY(`tenant_alias`, `id`),
	FOREIGN KEY (`tenant_alias`) REFERENCES `tenants`(`alias`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE UNIQUE INDEX `entitlement_overrides_customer` ON `entitlement_overrides` (`tenant_alias`,`customer_id`,`feature`);--> statement-breakpoint
CREATE INDEX `entitlement_overrides_listed` ON `entitlement_overrides` (`tenant_alias`,`customer_id`,`created_at`,`id`);--> statement-breakpoint
CREATE TABLE `reservations` (
	`tenant_alias` text NOT NULL,
	`id` text NOT NULL,
	`request_id` text,
	`customer_id` text NOT NULL,
	`feature` text NOT NULL,
	`meter_id` text NOT NULL,
	`amount` text NOT NULL,
	`expires_at` text NOT NULL,
	`open_until` text,
	`settled_amount` text,
	`closed_at` text,
	`created_at` text NOT NULL,
	PRIMARY KEY(`tenant_alias`, `id`),
	FOREIGN KEY (`tenant_alias`) REFERENCES `tenants`(`alias`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE INDEX `reservations_open` ON `reservations` (`tenant_alias`,`customer_id`,`feature`,`open_until`) WHERE open_until is not null;--> statement-breakpoint
CREATE UNIQUE INDEX `reservations_request` ON `reservations` (`tenant_alias`,`request_id`) WHERE request_id is not null;--> statement-breakpoint
CREATE INDEX `reservations_customer` ON `reservations` (`tenant_alias`,`customer_id`,`created_at`,`id`);--> statement-breakpoint
CREATE INDEX `reservations_created` ON `reservations` (`tenant_alias`,`created_at`,`id`);--> statement-breakpoint
ALTER TABLE `meters` ADD `totals_since` text;