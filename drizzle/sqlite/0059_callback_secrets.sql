ALTER TABLE `accounts` ADD `callback_secret` text;--> statement-breakpoint
ALTER TABLE `accounts` ADD `previous_callback_secret` text;--> statement-breakpoint
ALTER TABLE `accounts` ADD `previous_callback_secret_until` text;--> statement-breakpoint
ALTER TABLE `e_invoice_deliveries` ADD `report_ids` text;