CREATE TABLE `vat_id_checks` (
	`tenant_alias` text NOT NULL,
	`id` text NOT NULL,
	`customer_id` text NOT NULL,
	`vat_id` text NOT NULL,
	`status` text NOT NULL,
	`checked_at` text NOT NULL,
	`consultation` text,
	`requester` text,
	`name` text,
	`address` text,
	PRIMARY KEY(`tenant_alias`, `id`),
	FOREIGN KEY (`tenant_alias`) REFERENCES `tenants`(`alias`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE INDEX `vat_id_checks_customer` ON `vat_id_checks` (`tenant_alias`,`customer_id`,`id`);--> statement-breakpoint
DROP INDEX `customers_vat_id_check`;--> statement-breakpoint
ALTER TABLE `customers` ADD `vat_id_status` text;--> statement-breakpoint
CREATE INDEX `customers_vat_id_status` ON `customers` (`tenant_alias`,`vat_id_status`,`created_at`,`id`) WHERE vat_id_status is not null;--> statement-breakpoint
CREATE INDEX `customers_vat_id_check` ON `customers` (`tenant_alias`,`vat_id_status`,`vat_id_check_due_at`,`id`) WHERE vat_id_check_due_at is not null;--> statement-breakpoint
-- Data: the status by which lists find the VAT ids that are known, and their answers as evidence.
UPDATE `customers` SET `vat_id_status` = coalesce(json_extract(`vat_id_check`, '$.status'), 'unavailable')
  WHERE `vat_id_check` IS NOT NULL OR `vat_id_check_due_at` IS NOT NULL;--> statement-breakpoint
INSERT INTO `vat_id_checks` (`tenant_alias`, `id`, `customer_id`, `vat_id`, `status`, `checked_at`, `consultation`)
  SELECT `tenant_alias`, 'vic_' || substr(`id`, 5), `id`, json_extract(`vat_id_check`, '$.value'), `vat_id_status`,
    json_extract(`vat_id_check`, '$.checkedAt'), json_extract(`vat_id_check`, '$.consultation')
  FROM `customers` WHERE `vat_id_check` IS NOT NULL AND `vat_id_status` IN ('valid', 'invalid');--> statement-breakpoint
-- A quarter after the answer, spread over ten days.
UPDATE `customers` SET `vat_id_check_due_at` = strftime('%Y-%m-%dT%H:%M:%fZ', json_extract(`vat_id_check`, '$.checkedAt'),
    '+' || (6912000 + abs(random() % 864000)) || ' seconds')
  WHERE `vat_id_status` = 'valid' AND `vat_id_check_due_at` IS NULL;
