ALTER TABLE `limit_checks` ADD `failures` integer;--> statement-breakpoint
ALTER TABLE `limit_checks` ADD `due_at` text;