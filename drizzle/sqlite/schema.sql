-- 808009355b302e66a2d7d5aee6b1c32e643260b8254c9731a6e0b5a45f9f5864
-- Made by npm run generate.
CREATE TABLE `api_keys` (
	`tenant_alias` text NOT NULL,
	`id` text NOT NULL,
	`secret_hash` text NOT NULL,
	`scope` text NOT NULL,
	`created_at` text NOT NULL,
	`expires_at` text,
	`revoked_at` text, `name` text, `last_used_at` text, `kind` text, `permissions` text, `ip_allowlist` text, `last_used_from` text, `last_refusal` text,
	PRIMARY KEY(`tenant_alias`, `id`),
	FOREIGN KEY (`tenant_alias`) REFERENCES `tenants`(`alias`) ON UPDATE no action ON DELETE no action
);
CREATE TABLE `customers` (
	`tenant_alias` text NOT NULL,
	`id` text NOT NULL,
	`associated_id` text NOT NULL,
	`first_name` text NOT NULL,
	`last_name` text NOT NULL,
	`email` text NOT NULL,
	`metadata` text NOT NULL,
	`created_at` text NOT NULL,
	`updated_at` text NOT NULL, `company_name` text, `address` text, `tax_ids` text, `tax_exempt` integer, `locale` text, `tax_rate_id` text, `vat_id_check` text, `vat_id_check_due_at` text, `default_payment_method_id` text, `mail_blocked_at` text, `mail_blocked_reason` text, `buyer_reference` text, `electronic_address` text, `legal_registration` text, `document_format` text, `vat_id_status` text, `location_evidence` text,
	PRIMARY KEY(`tenant_alias`, `id`),
	FOREIGN KEY (`tenant_alias`) REFERENCES `tenants`(`alias`) ON UPDATE no action ON DELETE no action
);
CREATE UNIQUE INDEX `customers_associated` ON `customers` (`tenant_alias`,`associated_id`);
CREATE INDEX `customers_created` ON `customers` (`tenant_alias`,`created_at`,`id`);
CREATE TABLE `groups` (
	`tenant_alias` text NOT NULL,
	`id` text NOT NULL,
	`name` text NOT NULL,
	`metadata` text NOT NULL,
	`prorate_upgrades` integer NOT NULL,
	`created_at` text NOT NULL,
	`updated_at` text NOT NULL, `name_lower` text,
	PRIMARY KEY(`tenant_alias`, `id`),
	FOREIGN KEY (`tenant_alias`) REFERENCES `tenants`(`alias`) ON UPDATE no action ON DELETE no action
);
CREATE INDEX `groups_created` ON `groups` (`tenant_alias`,`created_at`,`id`);
CREATE TABLE `idempotency` (
	`tenant_alias` text NOT NULL,
	`idempotency_key` text NOT NULL,
	`field` text NOT NULL,
	`request_hash` text NOT NULL,
	`outcome` text,
	`created_at` text NOT NULL, `progress` text, `owner` text, `claimed_until` text,
	PRIMARY KEY(`tenant_alias`, `idempotency_key`, `field`),
	FOREIGN KEY (`tenant_alias`) REFERENCES `tenants`(`alias`) ON UPDATE no action ON DELETE no action
);
CREATE INDEX `idempotency_created` ON `idempotency` (`tenant_alias`,`created_at`);
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
	`updated_at` text NOT NULL, `balance_minor` integer, `credited_line_id` text, `credited_minor` integer, `given_back_minor` integer, `quantity` integer, `pricing` text, `add_ons` text, `billing` text, `credits` text, `trial_days` integer, `setup_fee_minor` integer, `coupon_id` text, `promotion_code_id` text, `discounts` text, `tax_behavior` text, `tax` text, `has_secret_link` integer, `order_billing` text, `metadata` text, `decline_code` text, `billing_threshold_minor` integer, `commitment` text, `spend_alerts` text,
	PRIMARY KEY(`tenant_alias`, `id`),
	FOREIGN KEY (`tenant_alias`) REFERENCES `tenants`(`alias`) ON UPDATE no action ON DELETE no action
);
CREATE UNIQUE INDEX `intents_order` ON `intents` (`tenant_alias`,`order_number`) WHERE order_number is not null;
CREATE INDEX `intents_by_id` ON `intents` (`id`);
CREATE INDEX `intents_expiry` ON `intents` (`tenant_alias`,`status`,`expires_at`);
CREATE INDEX `intents_asked` ON `intents` (`tenant_alias`,`asked_at`,`id`) WHERE asked_at is not null;
CREATE INDEX `intents_customer` ON `intents` (`tenant_alias`,`customer_id`,`created_at`,`id`);
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
	`paid_at` text, `credited_line_id` text, `credited_minor` integer, `refunded_minor` integer, `discounts` text, `price_id` text, `tax` text, `product_id` text, `tax_behavior` text, `product_kind` text,
	PRIMARY KEY(`tenant_alias`, `id`),
	FOREIGN KEY (`tenant_alias`) REFERENCES `tenants`(`alias`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`tenant_alias`,`invoice_id`) REFERENCES `invoices`(`tenant_alias`,`id`) ON UPDATE no action ON DELETE no action
);
CREATE INDEX `invoice_lines_invoice` ON `invoice_lines` (`tenant_alias`,`invoice_id`,`id`);
CREATE INDEX `invoice_lines_history` ON `invoice_lines` (`tenant_alias`,`customer_id`,`period_start`,`id`) WHERE paid_at is not null;
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
	`updated_at` text NOT NULL, `due_at` text, `taxes` text, `document_number` text, `issued_at` text, `finalize_at` text, `credited_minor` integer, `uncharged_minor` integer, `remind_at` text, `withdrawn_minor` integer, `document_kind` text, `retry_at` text, `metadata` text, `tax_country` text, `top_up` text, `purchase_order` text, `e_invoice_status` text, `evidence_gap` text,
	PRIMARY KEY(`tenant_alias`, `id`),
	FOREIGN KEY (`tenant_alias`) REFERENCES `tenants`(`alias`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`tenant_alias`,`subscription_id`) REFERENCES `subscriptions`(`tenant_alias`,`id`) ON UPDATE no action ON DELETE no action
);
CREATE UNIQUE INDEX `invoices_number` ON `invoices` (`tenant_alias`,`number`);
CREATE INDEX `invoices_subscription` ON `invoices` (`tenant_alias`,`subscription_id`,`created_at`,`id`);
CREATE INDEX `invoices_created` ON `invoices` (`tenant_alias`,`created_at`,`id`);
CREATE INDEX `invoices_customer` ON `invoices` (`tenant_alias`,`customer_id`,`created_at`,`id`);
CREATE TABLE `payment_methods` (
	`tenant_alias` text NOT NULL,
	`id` text NOT NULL,
	`customer_id` text NOT NULL,
	`provider` text NOT NULL,
	`reference` text NOT NULL,
	`created_at` text NOT NULL, `type` text, `brand` text, `last4` text, `fingerprint` text, `expires_at` text, `expiry_announced_at` text, `removed_at` text, `updated_at` text, `country` text,
	PRIMARY KEY(`tenant_alias`, `id`),
	FOREIGN KEY (`tenant_alias`) REFERENCES `tenants`(`alias`) ON UPDATE no action ON DELETE no action
);
CREATE INDEX `payment_methods_customer` ON `payment_methods` (`tenant_alias`,`customer_id`,`created_at`,`id`);
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
	`created_at` text NOT NULL, `to_balance_minor` integer, `dispute_status` text, `dispute_reason` text, `evidence_due_at` text, `metadata` text, `decline_code` text,
	PRIMARY KEY(`tenant_alias`, `id`),
	FOREIGN KEY (`tenant_alias`) REFERENCES `tenants`(`alias`) ON UPDATE no action ON DELETE no action
);
CREATE INDEX `payments_invoice` ON `payments` (`tenant_alias`,`invoice_id`,`created_at`,`id`);
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
	`updated_at` text NOT NULL, `pricing` text, `min_quantity` integer, `max_quantity` integer, `nickname` text, `trial_days` integer, `setup_fee_minor` integer, `tax_behavior` text, `archived_at` text, `meter_id` text, `lookup_key` text,
	PRIMARY KEY(`tenant_alias`, `id`),
	FOREIGN KEY (`tenant_alias`) REFERENCES `tenants`(`alias`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`tenant_alias`,`product_id`) REFERENCES `products`(`tenant_alias`,`id`) ON UPDATE no action ON DELETE no action
);
CREATE INDEX `prices_product` ON `prices` (`tenant_alias`,`product_id`,`created_at`,`id`);
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
	`deleted_at` text, `name_lower` text, `tax_code` text, `features` text, `highlighted` integer, `sort_order` integer, `catalog_place` text, `kind` text, `lookup_key` text,
	PRIMARY KEY(`tenant_alias`, `id`),
	FOREIGN KEY (`tenant_alias`) REFERENCES `tenants`(`alias`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`tenant_alias`,`group_id`) REFERENCES `groups`(`tenant_alias`,`id`) ON UPDATE no action ON DELETE no action
);
CREATE INDEX `products_group` ON `products` (`tenant_alias`,`group_id`,`created_at`,`id`);
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
	`cancelled_at` text, `cancel_at` text, `quantity` integer, `pricing` text, `add_ons` text, `trial_ends_at` text, `trial_end_announced_at` text, `tax_behavior` text, `cancellation_reason` text, `cancellation_comment` text, `renewal_announced_for` text, `retries_stopped_reason` text, `mrr` text, `retries_ended_at` text, `access_ended_for` text, `usage_since` text, `resumes_at` text, `billing_threshold_minor` integer, `commitment` text, `spend_alerts` text, `spend_alerted` text,
	PRIMARY KEY(`tenant_alias`, `id`),
	FOREIGN KEY (`tenant_alias`) REFERENCES `tenants`(`alias`) ON UPDATE no action ON DELETE no action
);
CREATE INDEX `subscriptions_created` ON `subscriptions` (`tenant_alias`,`created_at`,`id`);
CREATE INDEX `subscriptions_customer` ON `subscriptions` (`tenant_alias`,`customer_id`,`created_at`,`id`);
CREATE INDEX `subscriptions_due` ON `subscriptions` (`tenant_alias`,`due_at`,`id`) WHERE due_at is not null;
CREATE INDEX `subscriptions_held` ON `subscriptions` (`tenant_alias`,`changing_intent_id`) WHERE changing_intent_id is not null;
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
, `payment_providers` text, `payment_terms_days` integer, `bank_account` text, `change_policy` text, `trial_end_without_method` text, `discounts_since` text, `invoice_items_since` text, `seller` text, `invoice_grace_hours` integer, `number_series` text, `vat_id_check` text, `branding` text, `portal` text, `dunning` text, `mail` text, `revenue_since` text, `document_retention_years` integer, `allowed_origins` text, `default_currency` text, `usage_since` text, `credit_vouchers` text, `thresholds_since` text, `usage_retention_days` integer, `usage_forgotten_until` text, `spend_alerts_since` text, `usage_alert_percents` text, `place_of_supply` text, `product_kinds_since` text, `accounting` text, `tax_currency` text, `e_invoice_formats` text, `renewed_rates` text);
CREATE TABLE `traces` (
	`tenant_alias` text NOT NULL,
	`event_id` text NOT NULL,
	`trace_id` text NOT NULL,
	`parent_id` text,
	`is_root` integer NOT NULL,
	`executor_id` text NOT NULL,
	`activity_type` text NOT NULL,
	`payload` text NOT NULL,
	`created_at` text NOT NULL, `resource_id` text, `customer_id` text,
	PRIMARY KEY(`tenant_alias`, `event_id`),
	FOREIGN KEY (`tenant_alias`) REFERENCES `tenants`(`alias`) ON UPDATE no action ON DELETE no action
);
CREATE INDEX `traces_created` ON `traces` (`tenant_alias`,`created_at`,`event_id`);
CREATE INDEX `traces_executor` ON `traces` (`tenant_alias`,`executor_id`,`created_at`,`event_id`);
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
CREATE INDEX `webhook_deliveries_due` ON `webhook_deliveries` (`tenant_alias`,`endpoint_id`,`due_at`,`id`) WHERE due_at is not null;
CREATE INDEX `webhook_deliveries_chain` ON `webhook_deliveries` (`tenant_alias`,`endpoint_id`,`chain`,`sequence`) WHERE status = 'pending';
CREATE INDEX `webhook_deliveries_created` ON `webhook_deliveries` (`tenant_alias`,`created_at`,`id`);
CREATE INDEX `webhook_deliveries_endpoint` ON `webhook_deliveries` (`tenant_alias`,`endpoint_id`,`created_at`,`id`);
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
	`updated_at` text NOT NULL, `query_shape` integer,
	PRIMARY KEY(`tenant_alias`, `id`),
	FOREIGN KEY (`tenant_alias`) REFERENCES `tenants`(`alias`) ON UPDATE no action ON DELETE no action
);
CREATE INDEX `webhook_endpoints_created` ON `webhook_endpoints` (`tenant_alias`,`created_at`,`id`);
CREATE INDEX `invoices_intent` ON `invoices` (`tenant_alias`,`intent_id`,`id`) WHERE intent_id is not null;
CREATE INDEX `payments_intent` ON `payments` (`tenant_alias`,`intent_id`,`created_at`,`id`) WHERE intent_id is not null;
CREATE INDEX `products_active` ON `products` (`tenant_alias`,`active`,`created_at`,`id`) WHERE deleted_at is null;
CREATE INDEX `products_listed_in_group` ON `products` (`tenant_alias`,`group_id`,`created_at`,`id`) WHERE deleted_at is null;
CREATE INDEX `products_created` ON `products` (`tenant_alias`,`created_at`,`id`) WHERE deleted_at is null;
CREATE INDEX `subscriptions_unpaid` ON `subscriptions` (`tenant_alias`,`created_at`,`id`) WHERE cancelled_at is null and paused_at is null and current_period_end is null;
CREATE INDEX `subscriptions_running` ON `subscriptions` (`tenant_alias`,`created_at`,`id`) WHERE cancelled_at is null and paused_at is null and current_period_end is not null and past_due_since is null;
CREATE INDEX `subscriptions_past_due` ON `subscriptions` (`tenant_alias`,`created_at`,`id`) WHERE cancelled_at is null and paused_at is null and current_period_end is not null and past_due_since is not null;
CREATE INDEX `subscriptions_paused` ON `subscriptions` (`tenant_alias`,`created_at`,`id`) WHERE cancelled_at is null and paused_at is not null;
CREATE INDEX `subscriptions_cancelled` ON `subscriptions` (`tenant_alias`,`created_at`,`id`) WHERE cancelled_at is not null;
CREATE INDEX `subscriptions_scheduled` ON `subscriptions` (`tenant_alias`,`next_intent_id`) WHERE next_intent_id is not null;
CREATE UNIQUE INDEX `subscriptions_one_in_group` ON `subscriptions` (`tenant_alias`,`group_id`,`customer_id`) WHERE cancelled_at is null and group_id is not null;
CREATE UNIQUE INDEX `subscriptions_one_of_product` ON `subscriptions` (`tenant_alias`,`product_id`,`customer_id`) WHERE cancelled_at is null;
CREATE TABLE "balance_entries" (
	`tenant_alias` text NOT NULL,
	`id` text NOT NULL,
	`customer_id` text NOT NULL,
	`currency` text NOT NULL,
	`kind` text NOT NULL,
	`amount_minor` integer NOT NULL,
	`remaining_minor` integer NOT NULL,
	`credit_id` text,
	`invoice_id` text,
	`created_at` text NOT NULL, `reason` text, `expires_at` text, `line_id` text, `category` text, `before_tax` integer, `cost_basis` text, `priority` integer, `effective_at` text, `rollover` text, `applies_to` text, `voided_at` text, `alerted_percent` integer, `credit_type_id` text, `breakage_minor` integer, `alert_below_minor` integer, `alerted_below_at` text,
	PRIMARY KEY(`tenant_alias`, `id`),
	FOREIGN KEY (`tenant_alias`) REFERENCES `tenants`(`alias`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`tenant_alias`,`invoice_id`) REFERENCES `invoices`(`tenant_alias`,`id`) ON UPDATE no action ON DELETE no action
);
CREATE INDEX `balance_entries_customer` ON `balance_entries` (`tenant_alias`,`customer_id`,`currency`,`id`);
CREATE INDEX `balance_entries_invoice` ON `balance_entries` (`tenant_alias`,`invoice_id`,`id`);
CREATE INDEX `balance_entries_credit` ON `balance_entries` (`tenant_alias`,`credit_id`,`id`);
CREATE INDEX `idempotency_claimed` ON `idempotency` (`tenant_alias`,`claimed_until`) WHERE outcome is null;
CREATE INDEX `invoices_status` ON `invoices` (`tenant_alias`,`status`,`created_at`,`id`);
CREATE INDEX `traces_activity` ON `traces` (`tenant_alias`,`activity_type`,`created_at`,`event_id`);
CREATE INDEX `traces_followed_resource` ON `traces` (`tenant_alias`,`resource_id`,`event_id`);
CREATE INDEX `customers_email` ON `customers` (`tenant_alias`,`email`,`created_at`,`id`);
CREATE INDEX `webhook_deliveries_event` ON `webhook_deliveries` (`tenant_alias`,`event_id`,`created_at`,`id`);
CREATE INDEX `webhook_deliveries_status` ON `webhook_deliveries` (`tenant_alias`,`status`,`created_at`,`id`);
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
	`updated_at` text NOT NULL, `lookup_key` text,
	PRIMARY KEY(`tenant_alias`, `id`),
	FOREIGN KEY (`tenant_alias`) REFERENCES `tenants`(`alias`) ON UPDATE no action ON DELETE no action
);
CREATE INDEX `coupons_created` ON `coupons` (`tenant_alias`,`created_at`,`id`);
CREATE INDEX `coupons_active` ON `coupons` (`tenant_alias`,`active`,`created_at`,`id`);
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
CREATE UNIQUE INDEX `promotion_codes_active_code` ON `promotion_codes` (`tenant_alias`,`active_code`) WHERE active_code is not null;
CREATE INDEX `promotion_codes_created` ON `promotion_codes` (`tenant_alias`,`created_at`,`id`);
CREATE INDEX `promotion_codes_coupon` ON `promotion_codes` (`tenant_alias`,`coupon_id`,`created_at`,`id`);
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
	`updated_at` text NOT NULL, `end_recorded_for` text,
	PRIMARY KEY(`tenant_alias`, `id`),
	FOREIGN KEY (`tenant_alias`) REFERENCES `tenants`(`alias`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`tenant_alias`,`coupon_id`) REFERENCES `coupons`(`tenant_alias`,`id`) ON UPDATE no action ON DELETE no action
);
CREATE INDEX `discounts_subscription` ON `discounts` (`tenant_alias`,`subscription_id`,`id`) WHERE subscription_id is not null;
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
	`updated_at` text NOT NULL, `tax_behavior` text, `tax_terms` text, `product_kind` text,
	PRIMARY KEY(`tenant_alias`, `id`),
	FOREIGN KEY (`tenant_alias`) REFERENCES `tenants`(`alias`) ON UPDATE no action ON DELETE no action
);
CREATE INDEX `invoice_items_customer` ON `invoice_items` (`tenant_alias`,`customer_id`,`created_at`,`id`);
CREATE INDEX `invoice_items_waiting` ON `invoice_items` (`tenant_alias`,`customer_id`,`id`) WHERE invoice_id is null and removed_at is null;
CREATE INDEX `invoice_items_invoice` ON `invoice_items` (`tenant_alias`,`invoice_id`,`id`) WHERE invoice_id is not null;
CREATE INDEX `subscriptions_trialing` ON `subscriptions` (`tenant_alias`,`created_at`,`id`) WHERE cancelled_at is null and trial_ends_at is not null;
CREATE INDEX `balance_entries_expiring` ON `balance_entries` (`tenant_alias`,`expires_at`,`id`) WHERE expires_at is not null and remaining_minor > 0;
CREATE TABLE `credit_notes` (
	`tenant_alias` text NOT NULL,
	`id` text NOT NULL,
	`document_number` text NOT NULL,
	`invoice_id` text NOT NULL,
	`customer_id` text NOT NULL,
	`kind` text NOT NULL,
	`status` text NOT NULL,
	`reason` text,
	`memo` text,
	`currency` text NOT NULL,
	`total_minor` integer NOT NULL,
	`taxes` text,
	`lines` text NOT NULL,
	`payment_id` text,
	`issued_at` text NOT NULL,
	`created_at` text NOT NULL,
	`updated_at` text NOT NULL, `e_invoice_status` text,
	PRIMARY KEY(`tenant_alias`, `id`),
	FOREIGN KEY (`tenant_alias`) REFERENCES `tenants`(`alias`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`tenant_alias`,`invoice_id`) REFERENCES `invoices`(`tenant_alias`,`id`) ON UPDATE no action ON DELETE no action
);
CREATE UNIQUE INDEX `credit_notes_document_number` ON `credit_notes` (`tenant_alias`,`document_number`);
CREATE INDEX `credit_notes_created` ON `credit_notes` (`tenant_alias`,`created_at`,`id`);
CREATE INDEX `credit_notes_invoice` ON `credit_notes` (`tenant_alias`,`invoice_id`,`created_at`,`id`);
CREATE INDEX `credit_notes_customer` ON `credit_notes` (`tenant_alias`,`customer_id`,`created_at`,`id`);
CREATE INDEX `credit_notes_payment` ON `credit_notes` (`tenant_alias`,`payment_id`) WHERE payment_id is not null;
CREATE TABLE `tax_rates` (
	`tenant_alias` text NOT NULL,
	`id` text NOT NULL,
	`name` text,
	`country` text NOT NULL,
	`region` text,
	`postcode` text,
	`tax_code` text,
	`category` text NOT NULL,
	`percent` text NOT NULL,
	`effective_from` text NOT NULL,
	`archived_at` text,
	`created_at` text NOT NULL,
	`updated_at` text NOT NULL,
	PRIMARY KEY(`tenant_alias`, `id`),
	FOREIGN KEY (`tenant_alias`) REFERENCES `tenants`(`alias`) ON UPDATE no action ON DELETE no action
);
CREATE INDEX `tax_rates_created` ON `tax_rates` (`tenant_alias`,`created_at`,`id`);
CREATE INDEX `tax_rates_country` ON `tax_rates` (`tenant_alias`,`country`,`created_at`,`id`);
CREATE TABLE `number_counters` (
	`tenant_alias` text NOT NULL,
	`id` text NOT NULL,
	`value` integer NOT NULL,
	PRIMARY KEY(`tenant_alias`, `id`),
	FOREIGN KEY (`tenant_alias`) REFERENCES `tenants`(`alias`) ON UPDATE no action ON DELETE no action
);
CREATE TABLE `documents` (
	`tenant_alias` text NOT NULL,
	`id` text NOT NULL,
	`customer_id` text NOT NULL,
	`record` text NOT NULL,
	`created_at` text NOT NULL, `retained_until` text, `evidence` text,
	PRIMARY KEY(`tenant_alias`, `id`),
	FOREIGN KEY (`tenant_alias`) REFERENCES `tenants`(`alias`) ON UPDATE no action ON DELETE no action
);
CREATE INDEX `documents_customer` ON `documents` (`tenant_alias`,`customer_id`,`id`);
CREATE TABLE `logos` (
	`tenant_alias` text NOT NULL,
	`id` text NOT NULL,
	`content_type` text NOT NULL,
	`base64` text NOT NULL,
	`created_at` text NOT NULL,
	PRIMARY KEY(`tenant_alias`, `id`),
	FOREIGN KEY (`tenant_alias`) REFERENCES `tenants`(`alias`) ON UPDATE no action ON DELETE no action
);
CREATE INDEX `invoices_finalizing` ON `invoices` (`tenant_alias`,`finalize_at`,`id`) WHERE finalize_at is not null;
CREATE TABLE `accounts` (
	`tenant_alias` text NOT NULL,
	`id` text NOT NULL,
	`settings` text NOT NULL,
	`secrets` text NOT NULL,
	`failed_at` text,
	`failure` text,
	`created_at` text NOT NULL,
	`updated_at` text NOT NULL, `callback_secret` text, `previous_callback_secret` text, `previous_callback_secret_until` text,
	PRIMARY KEY(`tenant_alias`, `id`),
	FOREIGN KEY (`tenant_alias`) REFERENCES `tenants`(`alias`) ON UPDATE no action ON DELETE no action
);
CREATE TABLE `mail_templates` (
	`tenant_alias` text NOT NULL,
	`id` text NOT NULL,
	`kind` text NOT NULL,
	`language` text NOT NULL,
	`subject` text NOT NULL,
	`body` text,
	`created_at` text NOT NULL,
	`updated_at` text NOT NULL,
	PRIMARY KEY(`tenant_alias`, `id`),
	FOREIGN KEY (`tenant_alias`) REFERENCES `tenants`(`alias`) ON UPDATE no action ON DELETE no action
);
CREATE UNIQUE INDEX `mail_templates_kind` ON `mail_templates` (`tenant_alias`,`kind`,`language`);
CREATE INDEX `mail_templates_created` ON `mail_templates` (`tenant_alias`,`created_at`,`id`);
CREATE TABLE `mail_deliveries` (
	`tenant_alias` text NOT NULL,
	`id` text NOT NULL,
	`kind` text NOT NULL,
	`customer_id` text,
	`recipient` text NOT NULL,
	`language` text NOT NULL,
	`event_id` text,
	`data` text NOT NULL,
	`subject` text,
	`message_id` text NOT NULL,
	`chain` text NOT NULL,
	`status` text NOT NULL,
	`attempt` integer NOT NULL,
	`tries` text NOT NULL,
	`due_at` text,
	`claimed_until` text,
	`created_at` text NOT NULL,
	`finished_at` text,
	PRIMARY KEY(`tenant_alias`, `id`),
	FOREIGN KEY (`tenant_alias`) REFERENCES `tenants`(`alias`) ON UPDATE no action ON DELETE no action
);
CREATE INDEX `mail_deliveries_due` ON `mail_deliveries` (`tenant_alias`,`due_at`,`id`) WHERE due_at is not null;
CREATE INDEX `mail_deliveries_chain` ON `mail_deliveries` (`tenant_alias`,`chain`,`id`) WHERE status = 'pending';
CREATE INDEX `mail_deliveries_created` ON `mail_deliveries` (`tenant_alias`,`created_at`,`id`);
CREATE INDEX `mail_deliveries_customer` ON `mail_deliveries` (`tenant_alias`,`customer_id`,`created_at`,`id`);
CREATE INDEX `mail_deliveries_status` ON `mail_deliveries` (`tenant_alias`,`status`,`created_at`,`id`);
CREATE INDEX `mail_deliveries_kind` ON `mail_deliveries` (`tenant_alias`,`kind`,`created_at`,`id`);
CREATE UNIQUE INDEX `mail_deliveries_message` ON `mail_deliveries` (`tenant_alias`,`message_id`);
CREATE UNIQUE INDEX `mail_deliveries_event` ON `mail_deliveries` (`tenant_alias`,`event_id`,`kind`) WHERE event_id is not null;
CREATE TABLE `portal_sessions` (
	`tenant_alias` text NOT NULL,
	`id` text NOT NULL,
	`customer_id` text NOT NULL,
	`link_hash` text,
	`link_expires_at` text,
	`link_used_at` text,
	`session_hash` text,
	`expires_at` text NOT NULL,
	`revoked_at` text,
	`flow` text,
	`return_url` text,
	`created_at` text NOT NULL, `permissions` text,
	PRIMARY KEY(`tenant_alias`, `id`),
	FOREIGN KEY (`tenant_alias`) REFERENCES `tenants`(`alias`) ON UPDATE no action ON DELETE no action
);
CREATE UNIQUE INDEX `portal_sessions_link` ON `portal_sessions` (`tenant_alias`,`link_hash`) WHERE link_hash is not null;
CREATE UNIQUE INDEX `portal_sessions_session` ON `portal_sessions` (`tenant_alias`,`session_hash`) WHERE session_hash is not null;
CREATE INDEX `portal_sessions_customer` ON `portal_sessions` (`tenant_alias`,`customer_id`,`created_at`,`id`);
CREATE INDEX `portal_sessions_expiry` ON `portal_sessions` (`tenant_alias`,`expires_at`,`id`);
CREATE TABLE `portal_codes` (
	`tenant_alias` text NOT NULL,
	`id` text NOT NULL,
	`email_hash` text NOT NULL,
	`code_hash` text NOT NULL,
	`attempts` integer NOT NULL,
	`used_at` text,
	`expires_at` text NOT NULL,
	`created_at` text NOT NULL,
	PRIMARY KEY(`tenant_alias`, `id`),
	FOREIGN KEY (`tenant_alias`) REFERENCES `tenants`(`alias`) ON UPDATE no action ON DELETE no action
);
CREATE INDEX `portal_codes_email` ON `portal_codes` (`tenant_alias`,`email_hash`,`created_at`,`id`);
CREATE INDEX `portal_codes_expiry` ON `portal_codes` (`tenant_alias`,`expires_at`,`id`);
CREATE INDEX `payment_methods_expiry` ON `payment_methods` (`tenant_alias`,`expires_at`,`id`) WHERE expires_at is not null and expiry_announced_at is null and removed_at is null;
CREATE INDEX `subscriptions_renewals` ON `subscriptions` (`tenant_alias`,`next_billing_date`,`id`) WHERE (frequency = 'Yearly' or (frequency = 'Monthly' and period >= 6)) and billed_count > 0 and cancelled_at is null and paused_at is null and parked_reason is null and not cancel_at_period_end and (cancel_at is null or cancel_at > next_billing_date) and (renewal_announced_for is null or renewal_announced_for <> next_billing_date);
CREATE INDEX `invoices_reminders` ON `invoices` (`tenant_alias`,`remind_at`,`id`) WHERE status = 'open' and remind_at is not null;
CREATE TABLE `operators` (
	`id` text PRIMARY KEY NOT NULL,
	`email` text NOT NULL,
	`name` text,
	`password_hash` text,
	`totp_secret` text,
	`pending_totp_secret` text,
	`totp_step` integer,
	`recovery_codes` text,
	`confirmed_at` text,
	`created_at` text NOT NULL,
	`updated_at` text NOT NULL
, `role_in_new_tenants` text);
CREATE UNIQUE INDEX `operators_email` ON `operators` (`email`);
CREATE TABLE `operator_links` (
	`id` text PRIMARY KEY NOT NULL,
	`operator_id` text NOT NULL,
	`token_hash` text NOT NULL,
	`confirms` integer NOT NULL,
	`expires_at` text NOT NULL,
	`used_at` text,
	`created_at` text NOT NULL,
	FOREIGN KEY (`operator_id`) REFERENCES `operators`(`id`) ON UPDATE no action ON DELETE no action
);
CREATE UNIQUE INDEX `operator_links_token` ON `operator_links` (`token_hash`);
CREATE INDEX `operator_links_operator` ON `operator_links` (`operator_id`);
CREATE INDEX `operator_links_expiry` ON `operator_links` (`expires_at`,`id`);
CREATE TABLE `operator_sessions` (
	`id` text PRIMARY KEY NOT NULL,
	`operator_id` text NOT NULL,
	`token_hash` text NOT NULL,
	`verified_at` text NOT NULL,
	`last_seen_at` text NOT NULL,
	`expires_at` text NOT NULL,
	`revoked_at` text,
	`user_agent` text,
	`address` text,
	`created_at` text NOT NULL, `by_link` integer,
	FOREIGN KEY (`operator_id`) REFERENCES `operators`(`id`) ON UPDATE no action ON DELETE no action
);
CREATE UNIQUE INDEX `operator_sessions_token` ON `operator_sessions` (`token_hash`);
CREATE INDEX `operator_sessions_operator` ON `operator_sessions` (`operator_id`,`created_at`,`id`);
CREATE INDEX `operator_sessions_expiry` ON `operator_sessions` (`expires_at`,`id`);
CREATE TABLE `operator_passkeys` (
	`id` text PRIMARY KEY NOT NULL,
	`operator_id` text NOT NULL,
	`credential_id` text NOT NULL,
	`public_key` text NOT NULL,
	`counter` integer NOT NULL,
	`transports` text NOT NULL,
	`is_backed_up` integer NOT NULL,
	`name` text NOT NULL,
	`last_used_at` text,
	`created_at` text NOT NULL,
	FOREIGN KEY (`operator_id`) REFERENCES `operators`(`id`) ON UPDATE no action ON DELETE no action
);
CREATE UNIQUE INDEX `operator_passkeys_credential` ON `operator_passkeys` (`credential_id`);
CREATE INDEX `operator_passkeys_operator` ON `operator_passkeys` (`operator_id`,`created_at`,`id`);
CREATE TABLE `operator_challenges` (
	`id` text PRIMARY KEY NOT NULL,
	`purpose` text NOT NULL,
	`operator_id` text,
	`expected` text NOT NULL,
	`expires_at` text NOT NULL,
	`created_at` text NOT NULL
);
CREATE INDEX `operator_challenges_expiry` ON `operator_challenges` (`expires_at`,`id`);
CREATE TABLE `method_detachments` (
	`tenant_alias` text NOT NULL,
	`id` text NOT NULL,
	`customer_id` text NOT NULL,
	`provider` text NOT NULL,
	`reference` text NOT NULL,
	`attempts` integer NOT NULL,
	`due_at` text NOT NULL,
	`created_at` text NOT NULL,
	PRIMARY KEY(`tenant_alias`, `id`),
	FOREIGN KEY (`tenant_alias`) REFERENCES `tenants`(`alias`) ON UPDATE no action ON DELETE no action
);
CREATE INDEX `method_detachments_due` ON `method_detachments` (`tenant_alias`,`due_at`,`id`);
CREATE TABLE `mrr_movements` (
	`tenant_alias` text NOT NULL,
	`id` text NOT NULL,
	`customer_id` text NOT NULL,
	`subscription_id` text NOT NULL,
	`currency` text NOT NULL,
	`at` text NOT NULL,
	`kind` text NOT NULL,
	`amount_minor` integer NOT NULL,
	`mrr_after_minor` integer NOT NULL,
	`subscriptions` integer NOT NULL,
	`definitions` integer NOT NULL,
	`is_standard` integer NOT NULL,
	`cohort_at` text NOT NULL,
	PRIMARY KEY(`tenant_alias`, `id`),
	FOREIGN KEY (`tenant_alias`) REFERENCES `tenants`(`alias`) ON UPDATE no action ON DELETE no action
);
CREATE INDEX `mrr_movements_sums` ON `mrr_movements` (`tenant_alias`,`currency`,`at`,`kind`,`definitions`,`cohort_at`,`amount_minor`,`subscriptions`);
CREATE INDEX `mrr_movements_at` ON `mrr_movements` (`tenant_alias`,`is_standard`,`at`,`id`);
CREATE INDEX `mrr_movements_kind` ON `mrr_movements` (`tenant_alias`,`is_standard`,`kind`,`at`,`id`);
CREATE INDEX `mrr_movements_customer` ON `mrr_movements` (`tenant_alias`,`customer_id`,`at`,`id`);
CREATE TABLE `revenue_sums` (
	`tenant_alias` text NOT NULL,
	`currency` text NOT NULL,
	`span` text NOT NULL,
	`at` text NOT NULL,
	`invoiced_minor` integer NOT NULL,
	`paid_minor` integer NOT NULL,
	`refunded_minor` integer NOT NULL,
	`credited_minor` integer NOT NULL,
	`failed_count` integer NOT NULL,
	`failed_minor` integer NOT NULL,
	`recovered_count` integer NOT NULL,
	`recovered_minor` integer NOT NULL,
	`trials_started` integer NOT NULL,
	`trials_converted` integer NOT NULL,
	`trials_lost` integer NOT NULL,
	PRIMARY KEY(`tenant_alias`, `currency`, `span`, `at`),
	FOREIGN KEY (`tenant_alias`) REFERENCES `tenants`(`alias`) ON UPDATE no action ON DELETE no action
);
CREATE TABLE `operator_memberships` (
	`tenant_alias` text NOT NULL,
	`id` text NOT NULL,
	`role` text NOT NULL,
	`created_at` text NOT NULL,
	`updated_at` text NOT NULL, `views` text,
	PRIMARY KEY(`tenant_alias`, `id`),
	FOREIGN KEY (`tenant_alias`) REFERENCES `tenants`(`alias`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`id`) REFERENCES `operators`(`id`) ON UPDATE no action ON DELETE no action
);
CREATE INDEX `operator_memberships_operator` ON `operator_memberships` (`id`,`tenant_alias`);
CREATE INDEX `operator_memberships_created` ON `operator_memberships` (`tenant_alias`,`created_at`,`id`);
CREATE INDEX `operator_memberships_role` ON `operator_memberships` (`tenant_alias`,`role`,`id`);
CREATE INDEX `subscriptions_grace` ON `subscriptions` (`tenant_alias`,`past_due_since`,`id`) WHERE past_due_since is not null and cancelled_at is null and paused_at is null and (access_ended_for is null or access_ended_for <> past_due_since);
CREATE INDEX `api_keys_created` ON `api_keys` (`tenant_alias`,`created_at`,`id`);
CREATE INDEX `discounts_coupon` ON `discounts` (`tenant_alias`,`coupon_id`,`created_at`,`id`);
CREATE INDEX `subscriptions_product` ON `subscriptions` (`tenant_alias`,`product_id`,`created_at`,`id`);
CREATE INDEX `invoices_sent` ON `invoices` (`tenant_alias`,`created_at`,`id`) WHERE due_at is not null;
CREATE INDEX `mail_deliveries_recipient` ON `mail_deliveries` (`tenant_alias`,`recipient`,`created_at`,`id`);
CREATE INDEX `customers_mail_blocked` ON `customers` (`tenant_alias`,`mail_blocked_at`,`id`) WHERE mail_blocked_at is not null;
CREATE TABLE `code_attempts` (
	`tenant_alias` text NOT NULL,
	`subject_hash` text NOT NULL,
	`failures` integer NOT NULL,
	`ends_at` text NOT NULL,
	PRIMARY KEY(`tenant_alias`, `subject_hash`),
	FOREIGN KEY (`tenant_alias`) REFERENCES `tenants`(`alias`) ON UPDATE no action ON DELETE no action
);
CREATE INDEX `code_attempts_end` ON `code_attempts` (`tenant_alias`,`ends_at`,`subject_hash`);
CREATE UNIQUE INDEX `invoices_credit_number` ON `invoices` (`tenant_alias`,`document_number`) WHERE document_kind = 'credit_note';
CREATE UNIQUE INDEX `invoices_document_number` ON `invoices` (`tenant_alias`,`document_number`) WHERE document_number is not null and document_kind is null;
CREATE INDEX `invoices_retries` ON `invoices` (`tenant_alias`,`retry_at`,`id`) WHERE status = 'open' and retry_at is not null;
CREATE TABLE `server_settings` (
	`id` text PRIMARY KEY NOT NULL,
	`value` text NOT NULL,
	`updated_at` text NOT NULL
);
CREATE INDEX `documents_retained` ON `documents` (`tenant_alias`,`retained_until`,`id`) WHERE retained_until is not null;
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
CREATE UNIQUE INDEX `customer_sessions_token` ON `customer_sessions` (`tenant_alias`,`token_hash`);
CREATE INDEX `customer_sessions_customer` ON `customer_sessions` (`tenant_alias`,`customer_id`,`created_at`,`id`);
CREATE INDEX `customer_sessions_expiry` ON `customer_sessions` (`tenant_alias`,`expires_at`,`id`);
CREATE INDEX `discounts_created` ON `discounts` (`tenant_alias`,`created_at`,`id`);
CREATE INDEX `discounts_customer` ON `discounts` (`tenant_alias`,`customer_id`,`created_at`,`id`);
CREATE INDEX `traces_customer` ON `traces` (`tenant_alias`,`customer_id`,`event_id`) WHERE customer_id is not null;
CREATE INDEX `intents_created` ON `intents` (`tenant_alias`,`created_at`,`id`);
CREATE INDEX `intents_status` ON `intents` (`tenant_alias`,`status`,`created_at`,`id`);
CREATE INDEX `payments_created` ON `payments` (`tenant_alias`,`created_at`,`id`);
CREATE INDEX `payments_customer` ON `payments` (`tenant_alias`,`customer_id`,`created_at`,`id`);
CREATE INDEX `payments_failed` ON `payments` (`tenant_alias`,`created_at`,`id`) WHERE status in ('failed');
CREATE INDEX `payments_refunds` ON `payments` (`tenant_alias`,`created_at`,`id`) WHERE kind in ('refund');
CREATE INDEX `payments_disputes` ON `payments` (`tenant_alias`,`created_at`,`id`) WHERE kind in ('dispute');
CREATE INDEX `balance_entries_credits` ON `balance_entries` (`tenant_alias`,`created_at`,`id`) WHERE kind = 'credit';
CREATE INDEX `balance_entries_customer_credits` ON `balance_entries` (`tenant_alias`,`customer_id`,`created_at`,`id`) WHERE kind = 'credit';
CREATE INDEX `invoice_items_created` ON `invoice_items` (`tenant_alias`,`created_at`,`id`);
CREATE INDEX `invoice_items_unbilled` ON `invoice_items` (`tenant_alias`,`created_at`,`id`) WHERE invoice_id is null and removed_at is null;
CREATE INDEX `payments_pending` ON `payments` (`tenant_alias`,`created_at`,`id`) WHERE status = 'pending';
CREATE TABLE `search_progress` (
	`tenant_alias` text PRIMARY KEY NOT NULL,
	`last_event` text NOT NULL,
	FOREIGN KEY (`tenant_alias`) REFERENCES `tenants`(`alias`) ON UPDATE no action ON DELETE no action
);
CREATE INDEX `products_place` ON `products` (`tenant_alias`,`catalog_place`,`id`) WHERE deleted_at is null;
CREATE INDEX `products_active_place` ON `products` (`tenant_alias`,`active`,`catalog_place`,`id`) WHERE deleted_at is null;
CREATE INDEX `products_place_in_group` ON `products` (`tenant_alias`,`group_id`,`catalog_place`,`id`) WHERE deleted_at is null;
CREATE INDEX `payments_decline_code` ON `payments` (`tenant_alias`,`decline_code`,`created_at`,`id`) WHERE decline_code is not null;
CREATE TABLE `search_entries` (
	`tenant_alias` text NOT NULL,
	`id` text NOT NULL,
	`type` text NOT NULL,
	`text` text NOT NULL,
	`grams` text,
	`position` integer,
	PRIMARY KEY(`tenant_alias`, `id`),
	FOREIGN KEY (`tenant_alias`) REFERENCES `tenants`(`alias`) ON UPDATE no action ON DELETE no action
) WITHOUT ROWID;
CREATE INDEX `search_entries_position` ON `search_entries` (`position`);
CREATE TABLE `search_scopes` (
	`scope` integer PRIMARY KEY NOT NULL,
	`tenant_alias` text NOT NULL,
	`type` text NOT NULL
);
CREATE UNIQUE INDEX `search_scopes_type` ON `search_scopes` (`tenant_alias`,`type`);
CREATE VIRTUAL TABLE `search_index` USING fts5(text, content='', detail='none', columnsize=0, tokenize='trigram case_sensitive 1');
CREATE TRIGGER `search_entries_added` AFTER INSERT ON `search_entries` BEGIN
	INSERT OR IGNORE INTO `search_scopes` (`tenant_alias`, `type`) VALUES (new.`tenant_alias`, new.`type`);
	UPDATE `search_entries` SET `position` = (
		SELECT coalesce((SELECT max(`position`) FROM `search_entries` WHERE `position` >= `scope` << 40 AND `position` < (`scope` + 1) << 40), `scope` << 40) + 1
		FROM `search_scopes` WHERE `tenant_alias` = new.`tenant_alias` AND `type` = new.`type`)
		WHERE `tenant_alias` = new.`tenant_alias` AND `id` = new.`id`;
	INSERT INTO `search_index` (`rowid`, `text`)
		SELECT `position`, `text` FROM `search_entries` WHERE `tenant_alias` = new.`tenant_alias` AND `id` = new.`id`;
END;
CREATE TRIGGER `search_entries_removed` AFTER DELETE ON `search_entries` BEGIN
	INSERT INTO `search_index` (`search_index`, `rowid`, `text`) VALUES ('delete', old.`position`, old.`text`);
END;
CREATE INDEX `invoices_issued_later` ON `invoices` (`tenant_alias`,`issued_at`,`id`) WHERE issued_at <> created_at;
CREATE TABLE `meters` (
	`tenant_alias` text NOT NULL,
	`id` text NOT NULL,
	`name` text NOT NULL,
	`event` text NOT NULL,
	`aggregation` text NOT NULL,
	`value` text,
	`group_by` text NOT NULL,
	`filter` text NOT NULL,
	`persistent` integer NOT NULL,
	`unit_multiplier` text NOT NULL,
	`starts_at` text NOT NULL,
	`archived_at` text,
	`created_at` text NOT NULL,
	`updated_at` text NOT NULL, `totals_since` text, `earlier_versions` text, `alerts_since` text,
	PRIMARY KEY(`tenant_alias`, `id`),
	FOREIGN KEY (`tenant_alias`) REFERENCES `tenants`(`alias`) ON UPDATE no action ON DELETE no action
);
CREATE INDEX `meters_created` ON `meters` (`tenant_alias`,`created_at`,`id`);
CREATE INDEX `meters_event` ON `meters` (`tenant_alias`,`event`,`created_at`,`id`);
CREATE TABLE `usage_events` (
	`tenant_alias` text NOT NULL,
	`id` text NOT NULL,
	`event_id` text NOT NULL,
	`event` text NOT NULL,
	`customer_id` text,
	`associated_id` text,
	`at` text NOT NULL,
	`properties` text NOT NULL,
	`received_at` text NOT NULL,
	`voided_at` text, `backfilled` integer,
	PRIMARY KEY(`tenant_alias`, `id`),
	FOREIGN KEY (`tenant_alias`) REFERENCES `tenants`(`alias`) ON UPDATE no action ON DELETE no action
);
CREATE INDEX `usage_events_customer` ON `usage_events` (`tenant_alias`,`customer_id`,`at`,`id`) WHERE customer_id is not null;
CREATE INDEX `usage_events_waiting` ON `usage_events` (`tenant_alias`,`associated_id`,`id`) WHERE customer_id is null;
CREATE TABLE `usage_ids` (
	`tenant_alias` text NOT NULL,
	`span` text NOT NULL,
	`event_id` text NOT NULL,
	`id` text NOT NULL,
	PRIMARY KEY(`tenant_alias`, `span`, `event_id`),
	FOREIGN KEY (`tenant_alias`) REFERENCES `tenants`(`alias`) ON UPDATE no action ON DELETE no action
);
CREATE TABLE `usage_buckets` (
	`tenant_alias` text NOT NULL,
	`meter_id` text NOT NULL,
	`customer_id` text NOT NULL,
	`starts_at` text NOT NULL,
	`group_key` text NOT NULL,
	`events` integer NOT NULL,
	`sum` text,
	`moment` text,
	`highest` text,
	`lowest` text,
	`latest` text,
	`latest_at` text,
	`latest_id` text,
	PRIMARY KEY(`tenant_alias`, `meter_id`, `customer_id`, `starts_at`, `group_key`),
	FOREIGN KEY (`tenant_alias`) REFERENCES `tenants`(`alias`) ON UPDATE no action ON DELETE no action
);
CREATE INDEX `usage_buckets_time` ON `usage_buckets` (`tenant_alias`,`meter_id`,`starts_at`);
CREATE TABLE `usage_values` (
	`tenant_alias` text NOT NULL,
	`meter_id` text NOT NULL,
	`customer_id` text NOT NULL,
	`starts_at` text NOT NULL,
	`group_key` text NOT NULL,
	`value` text NOT NULL,
	PRIMARY KEY(`tenant_alias`, `meter_id`, `customer_id`, `starts_at`, `group_key`, `value`),
	FOREIGN KEY (`tenant_alias`) REFERENCES `tenants`(`alias`) ON UPDATE no action ON DELETE no action
);
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
CREATE TABLE `tax_progress` (
	`tenant_alias` text PRIMARY KEY NOT NULL,
	`until` text NOT NULL,
	`changes` integer NOT NULL,
	FOREIGN KEY (`tenant_alias`) REFERENCES `tenants`(`alias`) ON UPDATE no action ON DELETE no action
);
CREATE INDEX `discounts_ending` ON `discounts` (`tenant_alias`,`ends_at`,`id`) WHERE ends_at is not null and removed_at is null and (end_recorded_for is null or end_recorded_for <> ends_at);
CREATE TABLE `usage_periods` (
	`tenant_alias` text NOT NULL,
	`id` text NOT NULL,
	`customer_id` text NOT NULL,
	`subscription_id` text NOT NULL,
	`open_for` text,
	`meter_id` text NOT NULL,
	`price_id` text NOT NULL,
	`is_add_on` integer NOT NULL,
	`product_id` text NOT NULL,
	`product_name` text NOT NULL,
	`currency` text NOT NULL,
	`frequency` text NOT NULL,
	`period` integer NOT NULL,
	`anchor` text NOT NULL,
	`pricing` text NOT NULL,
	`tax_behavior` text,
	`starts_at` text NOT NULL,
	`ends_at` text,
	`charges` text NOT NULL,
	`created_at` text NOT NULL,
	PRIMARY KEY(`tenant_alias`, `id`),
	FOREIGN KEY (`tenant_alias`) REFERENCES `tenants`(`alias`) ON UPDATE no action ON DELETE no action
);
CREATE INDEX `usage_periods_open` ON `usage_periods` (`tenant_alias`,`open_for`,`id`) WHERE open_for is not null;
CREATE INDEX `usage_periods_meter` ON `usage_periods` (`tenant_alias`,`meter_id`,`ends_at`);
CREATE INDEX `usage_periods_customer` ON `usage_periods` (`tenant_alias`,`customer_id`,`id`);
CREATE INDEX `prices_meter` ON `prices` (`tenant_alias`,`meter_id`,`id`) WHERE meter_id is not null;
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
CREATE INDEX `customer_notes_customer` ON `customer_notes` (`tenant_alias`,`customer_id`,`created_at`,`id`);
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
CREATE INDEX `usage_totals_end` ON `usage_totals` (`tenant_alias`,`ends_at`);
CREATE TABLE `features` (
	`tenant_alias` text NOT NULL,
	`id` text NOT NULL,
	`key` text NOT NULL,
	`name` text NOT NULL,
	`kind` text NOT NULL,
	`meter_id` text,
	`archived_at` text,
	`created_at` text NOT NULL,
	`updated_at` text NOT NULL, `alert_percents` text, `credit_type_id` text,
	PRIMARY KEY(`tenant_alias`, `id`),
	FOREIGN KEY (`tenant_alias`) REFERENCES `tenants`(`alias`) ON UPDATE no action ON DELETE no action
);
CREATE UNIQUE INDEX `features_key` ON `features` (`tenant_alias`,`key`);
CREATE INDEX `features_created` ON `features` (`tenant_alias`,`created_at`,`id`);
CREATE INDEX `features_kind` ON `features` (`tenant_alias`,`kind`,`created_at`,`id`);
CREATE INDEX `features_meter` ON `features` (`tenant_alias`,`meter_id`,`id`) WHERE meter_id is not null;
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
CREATE UNIQUE INDEX `product_entitlements_product` ON `product_entitlements` (`tenant_alias`,`product_id`,`feature`);
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
CREATE UNIQUE INDEX `entitlement_overrides_customer` ON `entitlement_overrides` (`tenant_alias`,`customer_id`,`feature`);
CREATE INDEX `entitlement_overrides_listed` ON `entitlement_overrides` (`tenant_alias`,`customer_id`,`created_at`,`id`);
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
CREATE INDEX `reservations_open` ON `reservations` (`tenant_alias`,`customer_id`,`feature`,`open_until`) WHERE open_until is not null;
CREATE UNIQUE INDEX `reservations_request` ON `reservations` (`tenant_alias`,`request_id`) WHERE request_id is not null;
CREATE INDEX `reservations_customer` ON `reservations` (`tenant_alias`,`customer_id`,`created_at`,`id`);
CREATE INDEX `reservations_created` ON `reservations` (`tenant_alias`,`created_at`,`id`);
CREATE INDEX `balance_entries_grants` ON `balance_entries` (`tenant_alias`,`created_at`,`id`) WHERE kind = 'grant';
CREATE INDEX `balance_entries_customer_grants` ON `balance_entries` (`tenant_alias`,`customer_id`,`created_at`,`id`) WHERE kind = 'grant';
CREATE TABLE `commitment_windows` (
	`tenant_alias` text NOT NULL,
	`id` text NOT NULL,
	`customer_id` text NOT NULL,
	`subscription_id` text NOT NULL,
	`open_for` text,
	`commitment` text NOT NULL,
	`currency` text NOT NULL,
	`product_id` text NOT NULL,
	`product_name` text NOT NULL,
	`tax_behavior` text,
	`starts_at` text NOT NULL,
	`ends_at` text NOT NULL,
	`whole_start` text NOT NULL,
	`whole_end` text NOT NULL,
	`charges` text NOT NULL,
	`created_at` text NOT NULL,
	PRIMARY KEY(`tenant_alias`, `id`),
	FOREIGN KEY (`tenant_alias`) REFERENCES `tenants`(`alias`) ON UPDATE no action ON DELETE no action
);
CREATE INDEX `commitment_windows_open` ON `commitment_windows` (`tenant_alias`,`open_for`,`id`) WHERE open_for is not null;
CREATE INDEX `commitment_windows_subscription` ON `commitment_windows` (`tenant_alias`,`subscription_id`,`id`);
CREATE INDEX `commitment_windows_customer` ON `commitment_windows` (`tenant_alias`,`customer_id`,`id`);
CREATE TABLE `usage_checks` (
	`tenant_alias` text NOT NULL,
	`id` text NOT NULL,
	`subscription_id` text NOT NULL,
	PRIMARY KEY(`tenant_alias`, `id`),
	FOREIGN KEY (`tenant_alias`) REFERENCES `tenants`(`alias`) ON UPDATE no action ON DELETE no action
);
CREATE TABLE `usage_price_overrides` (
	`tenant_alias` text NOT NULL,
	`id` text NOT NULL,
	`customer_id` text NOT NULL,
	`subscription_id` text,
	`price_id` text NOT NULL,
	`currency` text NOT NULL,
	`pricing` text NOT NULL,
	`starts_at` text NOT NULL,
	`ends_at` text,
	`created_at` text NOT NULL,
	`updated_at` text NOT NULL,
	PRIMARY KEY(`tenant_alias`, `id`),
	FOREIGN KEY (`tenant_alias`) REFERENCES `tenants`(`alias`) ON UPDATE no action ON DELETE no action
);
CREATE INDEX `usage_price_overrides_created` ON `usage_price_overrides` (`tenant_alias`,`created_at`,`id`);
CREATE INDEX `usage_price_overrides_customer` ON `usage_price_overrides` (`tenant_alias`,`customer_id`,`created_at`,`id`);
CREATE INDEX `usage_price_overrides_subscription` ON `usage_price_overrides` (`tenant_alias`,`subscription_id`,`created_at`,`id`) WHERE subscription_id is not null;
CREATE UNIQUE INDEX `invoices_cycle` ON `invoices` (`tenant_alias`,`subscription_id`,`cycle_start`) WHERE billing_reason not in ('plan_change', 'subscription_end', 'usage_threshold');
CREATE INDEX `invoices_charging` ON `invoices` (`tenant_alias`,`charge_started_at`,`id`) WHERE charge_started_at is not null and billing_reason in ('one_off', 'subscription_end', 'usage_threshold');
CREATE INDEX `subscriptions_threshold` ON `subscriptions` (`tenant_alias`,`customer_id`) WHERE cancelled_at is null and billing_threshold_minor is not null;
CREATE INDEX `usage_periods_subscription` ON `usage_periods` (`tenant_alias`,`subscription_id`,`starts_at`);
CREATE TABLE `backfill_buckets` (
	`tenant_alias` text NOT NULL,
	`meter_id` text NOT NULL,
	`customer_id` text NOT NULL,
	`starts_at` text NOT NULL,
	`group_key` text NOT NULL,
	`events` integer NOT NULL,
	`sum` text,
	`moment` text,
	`highest` text,
	`lowest` text,
	`latest` text,
	`latest_at` text,
	`latest_id` text,
	PRIMARY KEY(`tenant_alias`, `meter_id`, `customer_id`, `starts_at`, `group_key`),
	FOREIGN KEY (`tenant_alias`) REFERENCES `tenants`(`alias`) ON UPDATE no action ON DELETE no action
);
CREATE INDEX `backfill_buckets_time` ON `backfill_buckets` (`tenant_alias`,`meter_id`,`starts_at`);
CREATE TABLE `backfill_values` (
	`tenant_alias` text NOT NULL,
	`meter_id` text NOT NULL,
	`customer_id` text NOT NULL,
	`starts_at` text NOT NULL,
	`group_key` text NOT NULL,
	`value` text NOT NULL,
	PRIMARY KEY(`tenant_alias`, `meter_id`, `customer_id`, `starts_at`, `group_key`, `value`),
	FOREIGN KEY (`tenant_alias`) REFERENCES `tenants`(`alias`) ON UPDATE no action ON DELETE no action
);
CREATE INDEX `usage_periods_begun` ON `usage_periods` (`tenant_alias`,`starts_at`,`id`);
CREATE TABLE `credit_types` (
	`tenant_alias` text NOT NULL,
	`id` text NOT NULL,
	`name` text NOT NULL,
	`rates` text NOT NULL,
	`created_at` text NOT NULL,
	`updated_at` text NOT NULL,
	PRIMARY KEY(`tenant_alias`, `id`),
	FOREIGN KEY (`tenant_alias`) REFERENCES `tenants`(`alias`) ON UPDATE no action ON DELETE no action
);
CREATE INDEX `credit_types_created` ON `credit_types` (`tenant_alias`,`created_at`,`id`);
CREATE TABLE `auto_top_ups` (
	`tenant_alias` text NOT NULL,
	`id` text NOT NULL,
	`customer_id` text NOT NULL,
	`pool` text NOT NULL,
	`currency` text NOT NULL,
	`credit_type_id` text,
	`name` text NOT NULL,
	`threshold_minor` integer NOT NULL,
	`amount_minor` integer NOT NULL,
	`cost_basis` text NOT NULL,
	`expires_after` text,
	`monthly_limit` integer NOT NULL,
	`check_at` text,
	`last_invoice_id` text,
	`month` text,
	`sold_in_month` integer NOT NULL,
	`created_at` text NOT NULL,
	`updated_at` text NOT NULL,
	PRIMARY KEY(`tenant_alias`, `id`),
	FOREIGN KEY (`tenant_alias`) REFERENCES `tenants`(`alias`) ON UPDATE no action ON DELETE no action
);
CREATE UNIQUE INDEX `auto_top_ups_customer` ON `auto_top_ups` (`tenant_alias`,`customer_id`,`pool`);
CREATE INDEX `auto_top_ups_created` ON `auto_top_ups` (`tenant_alias`,`created_at`,`id`);
CREATE INDEX `auto_top_ups_due` ON `auto_top_ups` (`tenant_alias`,`check_at`,`id`) WHERE check_at is not null;
CREATE INDEX `balance_entries_breakage` ON `balance_entries` (`tenant_alias`,`currency`,`created_at`,`id`) WHERE breakage_minor is not null;
CREATE TABLE `limit_checks` (
	`tenant_alias` text NOT NULL,
	`id` text NOT NULL,
	`customer_id` text NOT NULL, `failures` integer, `due_at` text,
	PRIMARY KEY(`tenant_alias`, `id`),
	FOREIGN KEY (`tenant_alias`) REFERENCES `tenants`(`alias`) ON UPDATE no action ON DELETE no action
);
CREATE INDEX `limit_checks_customer` ON `limit_checks` (`tenant_alias`,`customer_id`,`id`);
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
CREATE UNIQUE INDEX `limit_alerts_customer` ON `limit_alerts` (`tenant_alias`,`customer_id`,`feature`,`period_start`);
CREATE INDEX `subscriptions_spend_alerts` ON `subscriptions` (`tenant_alias`,`customer_id`) WHERE cancelled_at is null and spend_alerts is not null;
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
CREATE INDEX `features_credit_type` ON `features` (`tenant_alias`,`credit_type_id`,`id`) WHERE credit_type_id is not null;
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
CREATE INDEX `tax_conversions_missing` ON `tax_conversions` (`tenant_alias`,`day`,`id`) WHERE tax_minor is null;
CREATE TABLE `e_invoice_deliveries` (
	`tenant_alias` text NOT NULL,
	`id` text NOT NULL,
	`kind` text NOT NULL,
	`customer_id` text NOT NULL,
	`format` text NOT NULL,
	`status` text NOT NULL,
	`attempt` integer NOT NULL,
	`tries` text NOT NULL,
	`edition` integer NOT NULL,
	`due_at` text,
	`claimed_until` text,
	`body` text,
	`reference` text,
	`last_error` text,
	`created_at` text NOT NULL,
	`status_at` text NOT NULL, `report_ids` text,
	PRIMARY KEY(`tenant_alias`, `id`),
	FOREIGN KEY (`tenant_alias`) REFERENCES `tenants`(`alias`) ON UPDATE no action ON DELETE no action
);
CREATE INDEX `e_invoice_deliveries_due` ON `e_invoice_deliveries` (`tenant_alias`,`due_at`,`id`) WHERE due_at is not null;
CREATE INDEX `e_invoice_deliveries_customer` ON `e_invoice_deliveries` (`tenant_alias`,`customer_id`,`id`);
CREATE INDEX `e_invoice_deliveries_status` ON `e_invoice_deliveries` (`tenant_alias`,`status`,`created_at`,`id`);
CREATE INDEX `invoices_e_invoice` ON `invoices` (`tenant_alias`,`e_invoice_status`,`created_at`,`id`) WHERE e_invoice_status is not null;
CREATE INDEX `credit_notes_e_invoice` ON `credit_notes` (`tenant_alias`,`e_invoice_status`,`created_at`,`id`) WHERE e_invoice_status is not null;
CREATE TABLE `union_sales_days` (
	`tenant_alias` text NOT NULL,
	`day` text NOT NULL,
	`currency` text NOT NULL,
	`net_minor` integer NOT NULL,
	`euro_minor` integer,
	PRIMARY KEY(`tenant_alias`, `day`, `currency`),
	FOREIGN KEY (`tenant_alias`) REFERENCES `tenants`(`alias`) ON UPDATE no action ON DELETE no action
);
CREATE TABLE `vat_id_checks` (
	`tenant_alias` text NOT NULL,
	`id` text NOT NULL,
	`customer_id` text NOT NULL,
	`vat_id` text NOT NULL,
	`status` text NOT NULL,
	`checked_at` text NOT NULL,
	`consultation` text,
	`requester` text,
	`name` text,
	`address` text,
	PRIMARY KEY(`tenant_alias`, `id`),
	FOREIGN KEY (`tenant_alias`) REFERENCES `tenants`(`alias`) ON UPDATE no action ON DELETE no action
);
CREATE INDEX `vat_id_checks_customer` ON `vat_id_checks` (`tenant_alias`,`customer_id`,`id`);
CREATE INDEX `customers_vat_id_status` ON `customers` (`tenant_alias`,`vat_id_status`,`created_at`,`id`) WHERE vat_id_status is not null;
CREATE INDEX `customers_vat_id_check` ON `customers` (`tenant_alias`,`vat_id_status`,`vat_id_check_due_at`,`id`) WHERE vat_id_check_due_at is not null;
CREATE INDEX `invoices_evidence_gap` ON `invoices` (`tenant_alias`,`evidence_gap`,`created_at`,`id`) WHERE evidence_gap is not null;
CREATE UNIQUE INDEX `products_lookup_key` ON `products` (`tenant_alias`,`lookup_key`) WHERE lookup_key is not null;
CREATE UNIQUE INDEX `prices_lookup_key` ON `prices` (`tenant_alias`,`lookup_key`) WHERE lookup_key is not null;
CREATE UNIQUE INDEX `coupons_lookup_key` ON `coupons` (`tenant_alias`,`lookup_key`) WHERE lookup_key is not null;
CREATE TABLE `action_requests` (
	`tenant_alias` text NOT NULL,
	`id` text NOT NULL,
	`operation` text NOT NULL,
	`input` text NOT NULL,
	`reason` text,
	`preview` text NOT NULL,
	`customer_id` text,
	`requested_by` text NOT NULL,
	`requested_by_name` text,
	`requested_at` text NOT NULL,
	`expires_at` text NOT NULL,
	`status` text NOT NULL,
	`decided_by` text,
	`decided_by_name` text,
	`decided_at` text,
	`decline_reason` text,
	`completed_at` text,
	`result_id` text,
	`failure` text,
	PRIMARY KEY(`tenant_alias`, `id`),
	FOREIGN KEY (`tenant_alias`) REFERENCES `tenants`(`alias`) ON UPDATE no action ON DELETE no action
);
CREATE INDEX `action_requests_requested` ON `action_requests` (`tenant_alias`,`requested_at`,`id`);
CREATE INDEX `action_requests_status` ON `action_requests` (`tenant_alias`,`status`,`requested_at`,`id`);
CREATE INDEX `action_requests_operation` ON `action_requests` (`tenant_alias`,`operation`,`requested_at`,`id`);
CREATE INDEX `action_requests_requester` ON `action_requests` (`tenant_alias`,`requested_by`,`requested_at`,`id`);
CREATE INDEX `action_requests_customer` ON `action_requests` (`tenant_alias`,`customer_id`,`requested_at`,`id`);
CREATE INDEX `action_requests_expiry` ON `action_requests` (`tenant_alias`,`expires_at`,`id`) WHERE status = 'pending';
CREATE INDEX `action_requests_begun` ON `action_requests` (`tenant_alias`,`decided_at`,`id`) WHERE status = 'approved' and completed_at is null;
INSERT INTO "search_index" ("search_index", "rank") VALUES ('automerge', 16);
INSERT INTO "search_index" ("search_index", "rank") VALUES ('secure-delete', 1);
