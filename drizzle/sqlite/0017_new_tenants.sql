CREATE TABLE `server_settings` (
	`id` text PRIMARY KEY NOT NULL,
	`value` text NOT NULL,
	`updated_at` text NOT NULL
);
--> statement-breakpoint
ALTER TABLE `operators` ADD `role_in_new_tenants` text;--> statement-breakpoint
-- The first operator, whom the server itself created, owns all tenants.
UPDATE `operators` SET `role_in_new_tenants` = 'owner' WHERE `email` = 'admin@localhost';
