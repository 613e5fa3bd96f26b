ALTER TABLE `intents` ADD `metadata` text;--> statement-breakpoint
ALTER TABLE `invoices` ADD `metadata` text;--> statement-breakpoint
ALTER TABLE `payments` ADD `metadata` text;