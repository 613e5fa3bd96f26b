ALTER TABLE `intents` ADD `has_secret_link` integer;--> statement-breakpoint
ALTER TABLE `portal_sessions` ADD `permissions` text;