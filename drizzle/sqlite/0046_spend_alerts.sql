ALTER TABLE `tenants` ADD `spend_alerts_since` text;--> statement-breakpoint
ALTER TABLE `subscriptions` ADD `spend_alerts` text;--> statement-breakpoint
ALTER TABLE `subscriptions` ADD `spend_alerted` text;--> statement-breakpoint
CREATE INDEX `subscriptions_spend_alerts` ON `subscriptions` (`tenant_alias`,`customer_id`) WHERE cancelled_at is null and spend_alerts is not null;