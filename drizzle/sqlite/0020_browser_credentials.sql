ALTER TABLE `tenants` ADD `allowed_origins` text;--> statement-breakpoint
ALTER TABLE `api_keys` ADD `kind` text;