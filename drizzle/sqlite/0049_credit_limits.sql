ALTER TABLE `features` ADD `credit_type_id` text;--> statement-breakpoint
CREATE INDEX `features_credit_type` ON `features` (`tenant_alias`,`credit_type_id`,`id`) WHERE credit_type_id is not null;