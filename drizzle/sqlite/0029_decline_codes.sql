ALTER TABLE `intents` ADD `decline_code` text;--> statement-breakpoint
ALTER TABLE `payments` ADD `decline_code` text;