CREATE TABLE `coupons` (
	`tenant_alias` text NOT NULL,
	`id` text NOT NULL,
	`name` text NOT NULL,
	`percent_off` text,
	`amount_off_minor` integer,
	`currency` text,
	`duration` text NOT NULL,
	`duration_in_months` integer,
	`product_ids` text,
	`max_redemptions` integer,
	`redeem_by` text,
	`times_redeemed` integer NOT NULL,
	`active` integer NOT NULL,
	`metadata` text NOT NULL,
	`created_at` text NOT NULL,
	`updated_at` text NOT NULL,
	PRIMARY KEY(`tenant_alias`, `id`),
	FOREIGN KEY (`tenant_alias`) REFERENCES `tenants`(`alias`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE INDEX `coupons_created` ON `coupons` (`tenant_alias`,`created_at`,`id`);--> statement-breakpoint
CREATE INDEX `coupons_active` ON `coupons` (`tenant_alias`,`active`,`created_at`,`id`);--> statement-breakpoint
CREATE TABLE `promotion_codes` (
	`tenant_alias` text NOT NULL,
	`id` text NOT NULL,
	`coupon_id` text NOT NULL,
	`code` text NOT NULL,
	`active_code` text,
	`customer_id` text,
	`first_purchase_only` integer NOT NULL,
	`minimum_amount_minor` integer,
	`currency` text,
	`max_redemptions` integer,
	`times_redeemed` integer NOT NULL,
	`expires_at` text,
	`active` integer NOT NULL,
	`created_at` text NOT NULL,
	`updated_at` text NOT NULL,
	PRIMARY KEY(`tenant_alias`, `id`),
	FOREIGN KEY (`tenant_alias`) REFERENCES `tenants`(`alias`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`tenant_alias`,`coupon_id`) REFERENCES `coupons`(`tenant_alias`,`id`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE UNIQUE INDEX `promotion_codes_active_code` ON `promotion_codes` (`tenant_alias`,`active_code`) WHERE active_code is not null;--> statement-breakpoint
CREATE INDEX `promotion_codes_created` ON `promotion_codes` (`tenant_alias`,`created_at`,`id`);--> statement-breakpoint
CREATE INDEX `promotion_codes_coupon` ON `promotion_codes` (`tenant_alias`,`coupon_id`,`created_at`,`id`);--> statement-breakpoint
CREATE TABLE `discounts` (
	`tenant_alias` text NOT NULL,
	`id` text NOT NULL,
	`customer_id` text NOT NULL,
	`subscription_id` text,
	`coupon_id` text NOT NULL,
	`promotion_code_id` text,
	`position` integer NOT NULL,
	`starts_at` text NOT NULL,
	`ends_at` text,
	`spent_invoice_id` text,
	`removed_at` text,
	`created_at` text NOT NULL,
	`updated_at` text NOT NULL,
	PRIMARY KEY(`tenant_alias`, `id`),
	FOREIGN KEY (`tenant_alias`) REFERENCES `tenants`(`alias`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`tenant_alias`,`coupon_id`) REFERENCES `coupons`(`tenant_alias`,`id`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE INDEX `discounts_customer` ON `discounts` (`tenant_alias`,`customer_id`,`id`);--> statement-breakpoint
CREATE INDEX `discounts_subscription` ON `discounts` (`tenant_alias`,`subscription_id`,`id`) WHERE subscription_id is not null;--> statement-breakpoint
CREATE TABLE `invoice_items` (
	`tenant_alias` text NOT NULL,
	`id` text NOT NULL,
	`customer_id` text NOT NULL,
	`subscription_id` text,
	`kind` text NOT NULL,
	`amount_minor` integer NOT NULL,
	`currency` text NOT NULL,
	`description` text NOT NULL,
	`quantity` integer NOT NULL,
	`period_start` text NOT NULL,
	`period_end` text NOT NULL,
	`explanation` text NOT NULL,
	`credited_line_id` text,
	`discounts` text,
	`price_id` text,
	`invoice_id` text,
	`removed_at` text,
	`created_at` text NOT NULL,
	`updated_at` text NOT NULL,
	PRIMARY KEY(`tenant_alias`, `id`),
	FOREIGN KEY (`tenant_alias`) REFERENCES `tenants`(`alias`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE INDEX `invoice_items_customer` ON `invoice_items` (`tenant_alias`,`customer_id`,`created_at`,`id`);--> statement-breakpoint
CREATE INDEX `invoice_items_waiting` ON `invoice_items` (`tenant_alias`,`customer_id`,`id`) WHERE invoice_id is null and removed_at is null;--> statement-breakpoint
CREATE INDEX `invoice_items_invoice` ON `invoice_items` (`tenant_alias`,`invoice_id`,`id`) WHERE invoice_id is not null;--> statement-breakpoint
ALTER TABLE `balance_entries` ADD `reason` text;--> statement-breakpoint
ALTER TABLE `balance_entries` ADD `expires_at` text;--> statement-breakpoint
ALTER TABLE `intents` ADD `add_ons` text;--> statement-breakpoint
ALTER TABLE `intents` ADD `billing` text;--> statement-breakpoint
ALTER TABLE `intents` ADD `credits` text;--> statement-breakpoint
ALTER TABLE `intents` ADD `trial_days` integer;--> statement-breakpoint
ALTER TABLE `intents` ADD `setup_fee_minor` integer;--> statement-breakpoint
ALTER TABLE `intents` ADD `coupon_id` text;--> statement-breakpoint
ALTER TABLE `intents` ADD `promotion_code_id` text;--> statement-breakpoint
ALTER TABLE `intents` ADD `discounts` text;--> statement-breakpoint
ALTER TABLE `invoice_lines` ADD `discounts` text;--> statement-breakpoint
ALTER TABLE `invoice_lines` ADD `price_id` text;--> statement-breakpoint
CREATE INDEX `invoices_charging` ON `invoices` (`tenant_alias`,`charge_started_at`,`id`) WHERE subscription_id is null and charge_started_at is not null;--> statement-breakpoint
ALTER TABLE `prices` ADD `trial_days` integer;--> statement-breakpoint
ALTER TABLE `prices` ADD `setup_fee_minor` integer;--> statement-breakpoint
ALTER TABLE `subscriptions` ADD `add_ons` text;--> statement-breakpoint
ALTER TABLE `subscriptions` ADD `trial_ends_at` text;--> statement-breakpoint
ALTER TABLE `subscriptions` ADD `trial_end_announced_at` text;--> statement-breakpoint
CREATE INDEX `subscriptions_trialing` ON `subscriptions` (`tenant_alias`,`created_at`,`id`) WHERE cancelled_at is null and trial_ends_at is not null;--> statement-breakpoint
ALTER TABLE `tenants` ADD `change_policy` text;--> statement-breakpoint
ALTER TABLE `tenants` ADD `trial_end_without_method` text;--> statement-breakpoint
ALTER TABLE `tenants` ADD `discounts_since` text;--> statement-breakpoint
ALTER TABLE `tenants` ADD `invoice_items_since` text;