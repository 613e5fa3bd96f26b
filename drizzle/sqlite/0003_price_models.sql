ALTER TABLE `intents` ADD `quantity` integer;--> statement-breakpoint
ALTER TABLE `intents` ADD `pricing` text;--> statement-breakpoint
ALTER TABLE `prices` ADD `pricing` text;--> statement-breakpoint
ALTER TABLE `prices` ADD `min_quantity` integer;--> statement-breakpoint
ALTER TABLE `prices` ADD `max_quantity` integer;--> statement-breakpoint
ALTER TABLE `prices` ADD `nickname` text;--> statement-breakpoint
ALTER TABLE `subscriptions` ADD `quantity` integer;--> statement-breakpoint
ALTER TABLE `subscriptions` ADD `pricing` text;