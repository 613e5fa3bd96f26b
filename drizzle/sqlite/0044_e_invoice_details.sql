ALTER TABLE `customers` ADD `buyer_reference` text;--> statement-breakpoint
ALTER TABLE `customers` ADD `electronic_address` text;--> statement-breakpoint
ALTER TABLE `customers` ADD `legal_registration` text;--> statement-breakpoint
ALTER TABLE `customers` ADD `document_format` text;--> statement-breakpoint
ALTER TABLE `invoices` ADD `purchase_order` text;