CREATE TABLE `accounts` (
	`tenant_alias` text NOT NULL,
	`id` text NOT NULL,
	`settings` text NOT NULL,
	`secrets` text NOT NULL,
	`failed_at` text,
	`failure` text,
	`created_at` text NOT NULL,
	`updated_at` text NOT NULL,
	PRIMARY KEY(`tenant_alias`, `id`),
	FOREIGN KEY (`tenant_alias`) REFERENCES `tenants`(`alias`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
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
--> statement-breakpoint
CREATE UNIQUE INDEX `mail_templates_kind` ON `mail_templates` (`tenant_alias`,`kind`,`language`);--> statement-breakpoint
CREATE INDEX `mail_templates_created` ON `mail_templates` (`tenant_alias`,`created_at`,`id`);--> statement-breakpoint
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
--> statement-breakpoint
CREATE INDEX `mail_deliveries_due` ON `mail_deliveries` (`tenant_alias`,`due_at`,`id`) WHERE due_at is not null;--> statement-breakpoint
CREATE INDEX `mail_deliveries_chain` ON `mail_deliveries` (`tenant_alias`,`chain`,`id`) WHERE status = 'pending';--> statement-breakpoint
CREATE INDEX `mail_deliveries_created` ON `mail_deliveries` (`tenant_alias`,`created_at`,`id`);--> statement-breakpoint
CREATE INDEX `mail_deliveries_customer` ON `mail_deliveries` (`tenant_alias`,`customer_id`,`created_at`,`id`);--> statement-breakpoint
CREATE INDEX `mail_deliveries_status` ON `mail_deliveries` (`tenant_alias`,`status`,`created_at`,`id`);--> statement-breakpoint
CREATE INDEX `mail_deliveries_kind` ON `mail_deliveries` (`tenant_alias`,`kind`,`created_at`,`id`);--> statement-breakpoint
CREATE UNIQUE INDEX `mail_deliveries_message` ON `mail_deliveries` (`tenant_alias`,`message_id`);--> statement-breakpoint
CREATE UNIQUE INDEX `mail_deliveries_event` ON `mail_deliveries` (`tenant_alias`,`event_id`,`kind`) WHERE event_id is not null;--> statement-breakpoint
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
	`created_at` text NOT NULL,
	PRIMARY KEY(`tenant_alias`, `id`),
	FOREIGN KEY (`tenant_alias`) REFERENCES `tenants`(`alias`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE UNIQUE INDEX `portal_sessions_link` ON `portal_sessions` (`tenant_alias`,`link_hash`) WHERE link_hash is not null;--> statement-breakpoint
CREATE UNIQUE INDEX `portal_sessions_session` ON `portal_sessions` (`tenant_alias`,`session_hash`) WHERE session_hash is not null;--> statement-breakpoint
CREATE INDEX `portal_sessions_customer` ON `portal_sessions` (`tenant_alias`,`customer_id`,`created_at`,`id`);--> statement-breakpoint
CREATE INDEX `portal_sessions_expiry` ON `portal_sessions` (`tenant_alias`,`expires_at`,`id`);--> statement-breakpoint
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
--> statement-breakpoint
CREATE INDEX `portal_codes_email` ON `portal_codes` (`tenant_alias`,`email_hash`,`created_at`,`id`);--> statement-breakpoint
CREATE INDEX `portal_codes_expiry` ON `portal_codes` (`tenant_alias`,`expires_at`,`id`);--> statement-breakpoint
ALTER TABLE `tenants` ADD `vat_id_check` text;--> statement-breakpoint
ALTER TABLE `tenants` ADD `branding` text;--> statement-breakpoint
ALTER TABLE `tenants` ADD `portal` text;--> statement-breakpoint
ALTER TABLE `tenants` ADD `dunning` text;--> statement-breakpoint
ALTER TABLE `tenants` ADD `mail` text;--> statement-breakpoint
ALTER TABLE `customers` ADD `vat_id_check` text;--> statement-breakpoint
ALTER TABLE `customers` ADD `vat_id_check_due_at` text;--> statement-breakpoint
ALTER TABLE `customers` ADD `default_payment_method_id` text;--> statement-breakpoint
ALTER TABLE `customers` ADD `mail_blocked_at` text;--> statement-breakpoint
ALTER TABLE `customers` ADD `mail_blocked_reason` text;--> statement-breakpoint
CREATE INDEX `customers_vat_id_check` ON `customers` (`tenant_alias`,`vat_id_check_due_at`,`id`) WHERE vat_id_check_due_at is not null;--> statement-breakpoint
ALTER TABLE `payment_methods` ADD `type` text;--> statement-breakpoint
ALTER TABLE `payment_methods` ADD `brand` text;--> statement-breakpoint
ALTER TABLE `payment_methods` ADD `last4` text;--> statement-breakpoint
ALTER TABLE `payment_methods` ADD `fingerprint` text;--> statement-breakpoint
ALTER TABLE `payment_methods` ADD `expires_at` text;--> statement-breakpoint
ALTER TABLE `payment_methods` ADD `expiry_announced_at` text;--> statement-breakpoint
ALTER TABLE `payment_methods` ADD `removed_at` text;--> statement-breakpoint
ALTER TABLE `payment_methods` ADD `updated_at` text;--> statement-breakpoint
CREATE INDEX `payment_methods_expiry` ON `payment_methods` (`tenant_alias`,`expires_at`,`id`) WHERE expires_at is not null and expiry_announced_at is null and removed_at is null;--> statement-breakpoint
ALTER TABLE `subscriptions` ADD `cancellation_reason` text;--> statement-breakpoint
ALTER TABLE `subscriptions` ADD `cancellation_comment` text;--> statement-breakpoint
ALTER TABLE `subscriptions` ADD `renewal_announced_for` text;--> statement-breakpoint
ALTER TABLE `subscriptions` ADD `retries_stopped_reason` text;--> statement-breakpoint
CREATE INDEX `subscriptions_renewals` ON `subscriptions` (`tenant_alias`,`next_billing_date`,`id`) WHERE (frequency = 'Yearly' or (frequency = 'Monthly' and period >= 6)) and billed_count > 0 and cancelled_at is null and paused_at is null and parked_reason is null and not cancel_at_period_end and (cancel_at is null or cancel_at > next_billing_date) and (renewal_announced_for is null or renewal_announced_for <> next_billing_date);--> statement-breakpoint
ALTER TABLE `invoices` ADD `remind_at` text;--> statement-breakpoint
CREATE INDEX `invoices_reminders` ON `invoices` (`tenant_alias`,`remind_at`,`id`) WHERE status = 'open' and remind_at is not null;