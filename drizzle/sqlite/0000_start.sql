CREATE TABLE `api_keys` (
	`tenant_alias` text NOT NULL,
	`id` text NOT NULL,
	`secret_hash` text NOT NULL,
	`scope` text NOT NULL,
	`created_at` text NOT NULL,
	`expires_at` text,
	`revoked_at` text,
	PRIMARY KEY(`tenant_alias`, `id`),
	FOREIGN KEY (`tenant_alias`) REFERENCES `tenants`(`alias`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE TABLE `balance_entries` (
	`tenant_alias` text NOT NULL,
	`id` text NOT NULL,
	`customer_id` text NOT NULL,
	`currency` text NOT NULL,
	`kind` text NOT NULL,
	`amount_minor` integer NOT NULL,
	`remaining_minor` integer NOT NULL,
	`credit_id` text,
	`invoice_id` text NOT NULL,
	`created_at` text NOT NULL,
	PRIMARY KEY(`tenant_alias`, `id`),
	FOREIGN KEY (`tenant_alias`) REFERENCES `tenants`(`alias`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`tenant_alias`,`invoice_id`) REFERENCES `invoices`(`tenant_alias`,`id`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE INDEX `balance_entries_customer` ON `balance_entries` (`tenant_alias`,`customer_id`,`currency`,`id`);--> statement-breakpoint
CREATE INDEX `balance_entries_invoice` ON `balance_entries` (`tenant_alias`,`invoice_id`,`id`);--> statement-breakpoint
CREATE INDEX `balance_entries_credit` ON `balance_entries` (`tenant_alias`,`credit_id`,`id`);--> statement-breakpoint
CREATE TABLE `customers` (
	`tenant_alias` text NOT NULL,
	`id` text NOT NULL,
	`associated_id` text NOT NULL,
	`first_name` text NOT NULL,
	`last_name` text NOT NULL,
	`email` text NOT NULL,
	`metadata` text NOT NULL,
	`created_at` text NOT NULL,
	`updated_at` text NOT NULL,
	PRIMARY KEY(`tenant_alias`, `id`),
	FOREIGN KEY (`tenant_alias`) REFERENCES `tenants`(`alias`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE UNIQUE INDEX `customers_associated` ON `customers` (`tenant_alias`,`associated_id`);--> statement-breakpoint
CREATE INDEX `customers_created` ON `customers` (`tenant_alias`,`created_at`,`id`);--> statement-breakpoint
CREATE TABLE `groups` (
	`tenant_alias` text NOT NULL,
	`id` text NOT NULL,
	`name` text NOT NULL,
	`metadata` text NOT NULL,
	`prorate_upgrades` integer NOT NULL,
	`created_at` text NOT NULL,
	`updated_at` text NOT NULL,
	PRIMARY KEY(`tenant_alias`, `id`),
	FOREIGN KEY (`tenant_alias`) REFERENCES `tenants`(`alias`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE INDEX `groups_created` ON `groups` (`tenant_alias`,`created_at`,`id`);--> statement-breakpoint
CREATE TABLE `idempotency` (
	`tenant_alias` text NOT NULL,
	`idempotency_key` text NOT NULL,
	`field` text NOT NULL,
	`request_hash` text NOT NULL,
	`outcome` text,
	`created_at` text NOT NULL,
	PRIMARY KEY(`tenant_alias`, `idempotency_key`, `field`),
	FOREIGN KEY (`tenant_alias`) REFERENCES `tenants`(`alias`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE INDEX `idempotency_created` ON `idempotency` (`tenant_alias`,`created_at`);--> statement-breakpoint
CREATE TABLE `intents` (
	`tenant_alias` text NOT NULL,
	`id` text NOT NULL,
	`customer_id` text NOT NULL,
	`product_id` text NOT NULL,
	`price_id` text NOT NULL,
	`group_id` text,
	`product_name` text NOT NULL,
	`amount_minor` integer NOT NULL,
	`currency` text NOT NULL,
	`frequency` text NOT NULL,
	`period` integer NOT NULL,
	`execution_date` text,
	`status` text NOT NULL,
	`receipt_url` text NOT NULL,
	`return_url` text,
	`order_number` text,
	`request_hash` text NOT NULL,
	`start_date` text,
	`reason` text,
	`attempts` integer NOT NULL,
	`provider` text,
	`payment_method` text,
	`payment_started_at` text,
	`due_minor` integer,
	`asked_at` text,
	`action_url` text,
	`payment_reference` text,
	`changes_subscription_id` text,
	`prorated` integer NOT NULL,
	`subscription_id` text,
	`failure_reason` text,
	`expires_at` text NOT NULL,
	`created_at` text NOT NULL,
	`updated_at` text NOT NULL,
	PRIMARY KEY(`tenant_alias`, `id`),
	FOREIGN KEY (`tenant_alias`) REFERENCES `tenants`(`alias`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE UNIQUE INDEX `intents_order` ON `intents` (`tenant_alias`,`order_number`) WHERE order_number is not null;--> statement-breakpoint
CREATE INDEX `intents_by_id` ON `intents` (`id`);--> statement-breakpoint
CREATE INDEX `intents_expiry` ON `intents` (`tenant_alias`,`status`,`expires_at`);--> statement-breakpoint
CREATE INDEX `intents_asked` ON `intents` (`tenant_alias`,`asked_at`,`id`) WHERE asked_at is not null;--> statement-breakpoint
CREATE INDEX `intents_customer` ON `intents` (`tenant_alias`,`customer_id`,`created_at`,`id`);--> statement-breakpoint
CREATE TABLE `invoice_lines` (
	`tenant_alias` text NOT NULL,
	`id` text NOT NULL,
	`invoice_id` text NOT NULL,
	`customer_id` text NOT NULL,
	`kind` text NOT NULL,
	`product_name` text NOT NULL,
	`description` text NOT NULL,
	`amount_minor` integer NOT NULL,
	`currency` text NOT NULL,
	`period_start` text NOT NULL,
	`period_end` text NOT NULL,
	`explanation` text NOT NULL,
	`paid_at` text,
	PRIMARY KEY(`tenant_alias`, `id`),
	FOREIGN KEY (`tenant_alias`) REFERENCES `tenants`(`alias`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`tenant_alias`,`invoice_id`) REFERENCES `invoices`(`tenant_alias`,`id`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE INDEX `invoice_lines_invoice` ON `invoice_lines` (`tenant_alias`,`invoice_id`,`id`);--> statement-breakpoint
CREATE INDEX `invoice_lines_history` ON `invoice_lines` (`tenant_alias`,`customer_id`,`period_start`,`id`) WHERE paid_at is not null;--> statement-breakpoint
CREATE TABLE `invoices` (
	`tenant_alias` text NOT NULL,
	`id` text NOT NULL,
	`number` integer NOT NULL,
	`subscription_id` text,
	`intent_id` text,
	`customer_id` text NOT NULL,
	`billing_reason` text NOT NULL,
	`status` text NOT NULL,
	`currency` text NOT NULL,
	`total_minor` integer NOT NULL,
	`refunded_minor` integer NOT NULL,
	`cycle_start` text NOT NULL,
	`cycle_end` text NOT NULL,
	`attempts` integer NOT NULL,
	`first_tried_at` text,
	`charge_started_at` text,
	`charge_provider` text,
	`charge_method` text,
	`paid_at` text,
	`created_at` text NOT NULL,
	`updated_at` text NOT NULL,
	PRIMARY KEY(`tenant_alias`, `id`),
	FOREIGN KEY (`tenant_alias`) REFERENCES `tenants`(`alias`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`tenant_alias`,`subscription_id`) REFERENCES `subscriptions`(`tenant_alias`,`id`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE UNIQUE INDEX `invoices_number` ON `invoices` (`tenant_alias`,`number`);--> statement-breakpoint
CREATE UNIQUE INDEX `invoices_cycle` ON `invoices` (`tenant_alias`,`subscription_id`,`cycle_start`) WHERE billing_reason <> 'plan_change';--> statement-breakpoint
CREATE INDEX `invoices_subscription` ON `invoices` (`tenant_alias`,`subscription_id`,`created_at`,`id`);--> statement-breakpoint
CREATE INDEX `invoices_created` ON `invoices` (`tenant_alias`,`created_at`,`id`);--> statement-breakpoint
CREATE INDEX `invoices_intent` ON `invoices` (`tenant_alias`,`intent_id`,`id`);--> statement-breakpoint
CREATE INDEX `invoices_customer` ON `invoices` (`tenant_alias`,`customer_id`,`created_at`,`id`);--> statement-breakpoint
CREATE TABLE `payment_methods` (
	`tenant_alias` text NOT NULL,
	`id` text NOT NULL,
	`customer_id` text NOT NULL,
	`provider` text NOT NULL,
	`reference` text NOT NULL,
	`created_at` text NOT NULL,
	PRIMARY KEY(`tenant_alias`, `id`),
	FOREIGN KEY (`tenant_alias`) REFERENCES `tenants`(`alias`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE INDEX `payment_methods_customer` ON `payment_methods` (`tenant_alias`,`customer_id`,`created_at`,`id`);--> statement-breakpoint
CREATE TABLE `payments` (
	`tenant_alias` text NOT NULL,
	`id` text NOT NULL,
	`customer_id` text NOT NULL,
	`intent_id` text,
	`invoice_id` text,
	`provider` text NOT NULL,
	`reference` text,
	`kind` text NOT NULL,
	`charge_id` text,
	`status` text NOT NULL,
	`amount_minor` integer NOT NULL,
	`currency` text NOT NULL,
	`failure_reason` text,
	`received_at` text,
	`created_at` text NOT NULL,
	PRIMARY KEY(`tenant_alias`, `id`),
	FOREIGN KEY (`tenant_alias`) REFERENCES `tenants`(`alias`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE INDEX `payments_invoice` ON `payments` (`tenant_alias`,`invoice_id`,`created_at`,`id`);--> statement-breakpoint
CREATE INDEX `payments_pending` ON `payments` (`tenant_alias`,`created_at`,`id`) WHERE status = 'pending';--> statement-breakpoint
CREATE INDEX `payments_intent` ON `payments` (`tenant_alias`,`intent_id`,`created_at`,`id`);--> statement-breakpoint
CREATE TABLE `prices` (
	`tenant_alias` text NOT NULL,
	`id` text NOT NULL,
	`product_id` text NOT NULL,
	`amount_minor` integer NOT NULL,
	`currency` text NOT NULL,
	`frequency` text NOT NULL,
	`period` integer NOT NULL,
	`execution_date` text,
	`created_at` text NOT NULL,
	`updated_at` text NOT NULL,
	PRIMARY KEY(`tenant_alias`, `id`),
	FOREIGN KEY (`tenant_alias`) REFERENCES `tenants`(`alias`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`tenant_alias`,`product_id`) REFERENCES `products`(`tenant_alias`,`id`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE INDEX `prices_product` ON `prices` (`tenant_alias`,`product_id`,`created_at`,`id`);--> statement-breakpoint
CREATE TABLE `products` (
	`tenant_alias` text NOT NULL,
	`id` text NOT NULL,
	`group_id` text,
	`name` text NOT NULL,
	`description` text NOT NULL,
	`active` integer NOT NULL,
	`metadata` text NOT NULL,
	`expires_at` text,
	`created_at` text NOT NULL,
	`updated_at` text NOT NULL,
	`deleted_at` text,
	PRIMARY KEY(`tenant_alias`, `id`),
	FOREIGN KEY (`tenant_alias`) REFERENCES `tenants`(`alias`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`tenant_alias`,`group_id`) REFERENCES `groups`(`tenant_alias`,`id`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE INDEX `products_created` ON `products` (`tenant_alias`,`created_at`,`id`);--> statement-breakpoint
CREATE INDEX `products_group` ON `products` (`tenant_alias`,`group_id`,`created_at`,`id`);--> statement-breakpoint
CREATE TABLE `subscriptions` (
	`tenant_alias` text NOT NULL,
	`id` text NOT NULL,
	`payment_intent_id` text NOT NULL,
	`customer_id` text NOT NULL,
	`group_id` text,
	`product_id` text NOT NULL,
	`price_id` text NOT NULL,
	`product_name` text NOT NULL,
	`amount_minor` integer NOT NULL,
	`currency` text NOT NULL,
	`frequency` text NOT NULL,
	`period` integer NOT NULL,
	`anchor` text NOT NULL,
	`payment_method_id` text,
	`starts_at` text NOT NULL,
	`first_billing_date` text NOT NULL,
	`next_billing_date` text,
	`current_period_start` text,
	`current_period_end` text,
	`billed_count` integer NOT NULL,
	`due_at` text,
	`claimed_until` text,
	`open_invoice_id` text,
	`past_due_since` text,
	`paused_at` text,
	`cancel_at_period_end` integer NOT NULL,
	`next_intent_id` text,
	`changing_intent_id` text,
	`parked_reason` text,
	`metadata` text NOT NULL,
	`created_at` text NOT NULL,
	`updated_at` text NOT NULL,
	`cancelled_at` text,
	PRIMARY KEY(`tenant_alias`, `id`),
	FOREIGN KEY (`tenant_alias`) REFERENCES `tenants`(`alias`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE INDEX `subscriptions_created` ON `subscriptions` (`tenant_alias`,`created_at`,`id`);--> statement-breakpoint
CREATE INDEX `subscriptions_customer` ON `subscriptions` (`tenant_alias`,`customer_id`,`created_at`,`id`);--> statement-breakpoint
CREATE INDEX `subscriptions_due` ON `subscriptions` (`tenant_alias`,`due_at`,`id`) WHERE due_at is not null;--> statement-breakpoint
CREATE INDEX `subscriptions_held` ON `subscriptions` (`tenant_alias`,`changing_intent_id`) WHERE changing_intent_id is not null;--> statement-breakpoint
CREATE UNIQUE INDEX `subscriptions_one_in_group` ON `subscriptions` (`tenant_alias`,`customer_id`,`group_id`) WHERE cancelled_at is null and group_id is not null;--> statement-breakpoint
CREATE UNIQUE INDEX `subscriptions_one_of_product` ON `subscriptions` (`tenant_alias`,`customer_id`,`product_id`) WHERE cancelled_at is null;--> statement-breakpoint
CREATE TABLE `tenants` (
	`alias` text PRIMARY KEY NOT NULL,
	`name` text NOT NULL,
	`timezone` text NOT NULL,
	`test` integer NOT NULL,
	`clock_at` text,
	`cursor_secret` text NOT NULL,
	`retry_days` text NOT NULL,
	`has_webhooks` integer NOT NULL,
	`created_at` text NOT NULL,
	`updated_at` text NOT NULL
);
--> statement-breakpoint
CREATE TABLE `traces` (
	`tenant_alias` text NOT NULL,
	`event_id` text NOT NULL,
	`trace_id` text NOT NULL,
	`parent_id` text,
	`is_root` integer NOT NULL,
	`executor_id` text NOT NULL,
	`activity_type` text NOT NULL,
	`payload` text NOT NULL,
	`created_at` text NOT NULL,
	PRIMARY KEY(`tenant_alias`, `event_id`),
	FOREIGN KEY (`tenant_alias`) REFERENCES `tenants`(`alias`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE INDEX `traces_created` ON `traces` (`tenant_alias`,`created_at`,`event_id`);--> statement-breakpoint
CREATE INDEX `traces_executor` ON `traces` (`tenant_alias`,`executor_id`,`created_at`,`event_id`);--> statement-breakpoint
CREATE TABLE `webhook_deliveries` (
	`tenant_alias` text NOT NULL,
	`id` text NOT NULL,
	`endpoint_id` text NOT NULL,
	`event_id` text NOT NULL,
	`type` text NOT NULL,
	`chain` text NOT NULL,
	`sequence` integer NOT NULL,
	`status` text NOT NULL,
	`attempt` integer NOT NULL,
	`tries` text NOT NULL,
	`due_at` text,
	`claimed_until` text,
	`body` text,
	`created_at` text NOT NULL,
	`finished_at` text,
	PRIMARY KEY(`tenant_alias`, `id`),
	FOREIGN KEY (`tenant_alias`) REFERENCES `tenants`(`alias`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE INDEX `webhook_deliveries_due` ON `webhook_deliveries` (`tenant_alias`,`endpoint_id`,`due_at`,`id`) WHERE due_at is not null;--> statement-breakpoint
CREATE INDEX `webhook_deliveries_chain` ON `webhook_deliveries` (`tenant_alias`,`endpoint_id`,`chain`,`sequence`) WHERE status = 'pending';--> statement-breakpoint
CREATE INDEX `webhook_deliveries_created` ON `webhook_deliveries` (`tenant_alias`,`created_at`,`id`);--> statement-breakpoint
CREATE INDEX `webhook_deliveries_endpoint` ON `webhook_deliveries` (`tenant_alias`,`endpoint_id`,`created_at`,`id`);--> statement-breakpoint
CREATE TABLE `webhook_endpoints` (
	`tenant_alias` text NOT NULL,
	`id` text NOT NULL,
	`url` text NOT NULL,
	`description` text NOT NULL,
	`events` text NOT NULL,
	`query` text,
	`active` integer NOT NULL,
	`disabled_reason` text,
	`secret` text NOT NULL,
	`previous_secret` text,
	`previous_secret_until` text,
	`last_sequence` integer NOT NULL,
	`created_at` text NOT NULL,
	`updated_at` text NOT NULL,
	PRIMARY KEY(`tenant_alias`, `id`),
	FOREIGN KEY (`tenant_alias`) REFERENCES `tenants`(`alias`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE INDEX `webhook_endpoints_created` ON `webhook_endpoints` (`tenant_alias`,`created_at`,`id`);