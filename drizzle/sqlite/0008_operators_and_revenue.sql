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
ALTER TABLE `subscriptions` ADD `retries_ended_at` text;--> statement-breakpoint
ALTER TABLE `subscriptions` ADD `access_ended_for` text;--> statement-breakpoint
CREATE INDEX `subscriptions_grace` ON `subscriptions` (`tenant_alias`,`past_due_since`,`id`) WHERE past_due_since is not null and cancelled_at is null and paused_at is null and (access_ended_for is null or access_ended_for <> past_due_since);