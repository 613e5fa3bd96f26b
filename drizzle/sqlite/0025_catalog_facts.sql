ALTER TABLE `products` ADD `features` text;--> statement-breakpoint
ALTER TABLE `products` ADD `highlighted` integer;--> statement-breakpoint
ALTER TABLE `products` ADD `sort_order` integer;--> statement-breakpoint
ALTER TABLE `prices` ADD `archived_at` text;