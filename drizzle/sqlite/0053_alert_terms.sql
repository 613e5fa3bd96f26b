ALTER TABLE `intents` ADD `spend_alerts` text;--> statement-breakpoint
ALTER TABLE `balance_entries` ADD `alert_below_minor` integer;--> statement-breakpoint
ALTER TABLE `balance_entries` ADD `alerted_below_at` text;