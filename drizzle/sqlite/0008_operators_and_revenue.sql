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
);
--> statement-breakpoint
CREATE UNIQUE INDEX `operators_email` ON `operators` (`email`);--> statement-breakpoint
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
--> statement-breakpoint
CREATE UNIQUE INDEX `operator_links_token` ON `operator_links` (`token_hash`);--> statement-breakpoint
CREATE INDEX `operator_links_operator` ON `operator_links` (`operator_id`);--> statement-breakpoint
CREATE INDEX `operator_links_expiry` ON `operator_links` (`expires_at`,`id`);--> statement-breakpoint
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
	`created_at` text NOT NULL,
	FOREIGN KEY (`operator_id`) REFERENCES `operators`(`id`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE UNIQUE INDEX `operator_sessions_token` ON `operator_sessions` (`token_hash`);--> statement-breakpoint
CREATE INDEX `operator_sessions_operator` ON `operator_sessions` (`operator_id`,`created_at`,`id`);--> statement-breakpoint
CREATE INDEX `operator_sessions_expiry` ON `operator_sessions` (`expires_at`,`id`);--> statement-breakpoint
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
--> statement-breakpoint
CREATE UNIQUE INDEX `operator_passkeys_credential` ON `operator_passkeys` (`credential_id`);--> statement-breakpoint
CREATE INDEX `operator_passkeys_operator` ON `operator_passkeys` (`operator_id`,`created_at`,`id`);--> statement-breakpoint
CREATE TABLE `operator_challenges` (
	`id` text PRIMARY KEY NOT NULL,
	`purpose` text NOT NULL,
	`operator_id` text,
	`expected` text NOT NULL,
	`expires_at` text NOT NULL,
	`created_at` text NOT NULL
);
--> statement-breakpoint
CREATE INDEX `operator_challenges_expiry` ON `operator_challenges` (`expires_at`,`id`);--> statement-breakpoint
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
--> statement-breakpoint
CREATE INDEX `method_detachments_due` ON `method_detachments` (`tenant_alias`,`due_at`,`id`);--> statement-breakpoint
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
--> statement-breakpoint
CREATE INDEX `mrr_movements_sums` ON `mrr_movements` (`tenant_alias`,`currency`,`at`,`kind`,`definitions`,`cohort_at`,`amount_minor`,`subscriptions`);--> statement-breakpoint
CREATE INDEX `mrr_movements_at` ON `mrr_movements` (`tenant_alias`,`is_standard`,`at`,`id`);--> statement-breakpoint
CREATE INDEX `mrr_movements_kind` ON `mrr_movements` (`tenant_alias`,`is_standard`,`kind`,`at`,`id`);--> statement-breakpoint
CREATE INDEX `mrr_movements_customer` ON `mrr_movements` (`tenant_alias`,`customer_id`,`at`,`id`);--> statement-breakpoint
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
--> statement-breakpoint
CREATE TABLE `operator_memberships` (
	`tenant_alias` text NOT NULL,
	`id` text NOT NULL,
	`role` text NOT NULL,
	`created_at` text NOT NULL,
	`updated_at` text NOT NULL,
	PRIMARY KEY(`tenant_alias`, `id`),
	FOREIGN KEY (`tenant_alias`) REFERENCES `tenants`(`alias`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`id`) REFERENCES `operators`(`id`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE INDEX `operator_memberships_operator` ON `operator_memberships` (`id`,`tenant_alias`);--> statement-breakpoint
CREATE INDEX `operator_memberships_created` ON `operator_memberships` (`tenant_alias`,`created_at`,`id`);--> statement-breakpoint
CREATE INDEX `operator_memberships_role` ON `operator_memberships` (`tenant_alias`,`role`,`id`);--> statement-breakpoint
ALTER TABLE `tenants` ADD `revenue_since` text;--> statement-breakpoint
ALTER TABLE `subscriptions` ADD `mrr` text;--> statement-breakpoint
ALTER TABLE `subscriptions` ADD `retries_ended_at` text;--> statement-breakpoint
ALTER TABLE `subscriptions` ADD `access_ended_for` text;--> statement-breakpoint
CREATE INDEX `subscriptions_grace` ON `subscriptions` (`tenant_alias`,`past_due_since`,`id`) WHERE past_due_since is not null and cancelled_at is null and paused_at is null and (access_ended_for is null or access_ended_for <> past_due_since);--> statement-breakpoint
ALTER TABLE `invoice_lines` ADD `tax_behavior` text;