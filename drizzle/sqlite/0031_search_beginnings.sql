DROP INDEX `customers_email_lower`;--> statement-breakpoint
DROP INDEX `customers_first_name`;--> statement-breakpoint
DROP INDEX `customers_last_name`;--> statement-breakpoint
DROP INDEX `customers_company_name`;--> statement-breakpoint
ALTER TABLE `customers` DROP COLUMN `first_name_lower`;--> statement-breakpoint
ALTER TABLE `customers` DROP COLUMN `last_name_lower`;--> statement-breakpoint
ALTER TABLE `customers` DROP COLUMN `company_name_lower`;--> statement-breakpoint
ALTER TABLE `customers` DROP COLUMN `email_lower`;--> statement-breakpoint
DROP INDEX `products_name`;--> statement-breakpoint
DROP INDEX `prices_nickname`;--> statement-breakpoint
ALTER TABLE `prices` DROP COLUMN `nickname_lower`;--> statement-breakpoint
DROP INDEX `coupons_name`;--> statement-breakpoint
ALTER TABLE `coupons` DROP COLUMN `name_lower`;--> statement-breakpoint
DROP INDEX `promotion_codes_code`;--> statement-breakpoint
ALTER TABLE `promotion_codes` DROP COLUMN `code_lower`;--> statement-breakpoint
-- The texts of the entries have another form: the server makes the index anew, and searches meanwhile read the records.
DELETE FROM `search_progress`;--> statement-breakpoint
DROP TABLE `search_index`;--> statement-breakpoint
DROP TABLE `search_rows`;--> statement-breakpoint
DROP TABLE `search_scopes`;--> statement-breakpoint
DROP TABLE `search_entries`;--> statement-breakpoint
-- A row with its key in one tree instead of two; the position is the row of the index.
CREATE TABLE `search_entries` (
	`tenant_alias` text NOT NULL,
	`id` text NOT NULL,
	`type` text NOT NULL,
	`text` text NOT NULL,
	`grams` text,
	`position` integer,
	PRIMARY KEY(`tenant_alias`, `id`),
	FOREIGN KEY (`tenant_alias`) REFERENCES `tenants`(`alias`) ON UPDATE no action ON DELETE no action
) WITHOUT ROWID;
--> statement-breakpoint
CREATE INDEX `search_entries_position` ON `search_entries` (`position`);
--> statement-breakpoint
-- The rows of the index of each type of a tenant are one range: the scope is above the 40 bits of the count.
CREATE TABLE `search_scopes` (
	`scope` integer PRIMARY KEY NOT NULL,
	`tenant_alias` text NOT NULL,
	`type` text NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `search_scopes_type` ON `search_scopes` (`tenant_alias`,`type`);
--> statement-breakpoint
-- Which trigrams a text has, and not where: half the size. Candidates are compared with the text of the entry.
CREATE VIRTUAL TABLE `search_index` USING fts5(text, content='', detail='none', columnsize=0, tokenize='trigram case_sensitive 1');
--> statement-breakpoint
-- What is deleted leaves the file at once: it may be personal data.
INSERT INTO `search_index` (`search_index`, `rank`) VALUES ('secure-delete', 1);
--> statement-breakpoint
-- Each unit of work adds a segment; merged by 16 instead of 4, the same trigrams are written fewer times.
INSERT INTO `search_index` (`search_index`, `rank`) VALUES ('automerge', 16);
--> statement-breakpoint
CREATE TRIGGER `search_entries_added` AFTER INSERT ON `search_entries` BEGIN
	INSERT OR IGNORE INTO `search_scopes` (`tenant_alias`, `type`) VALUES (new.`tenant_alias`, new.`type`);
	UPDATE `search_entries` SET `position` = (
		SELECT coalesce((SELECT max(`position`) FROM `search_entries` WHERE `position` >= `scope` << 40 AND `position` < (`scope` + 1) << 40), `scope` << 40) + 1
		FROM `search_scopes` WHERE `tenant_alias` = new.`tenant_alias` AND `type` = new.`type`)
		WHERE `tenant_alias` = new.`tenant_alias` AND `id` = new.`id`;
	INSERT INTO `search_index` (`rowid`, `text`)
		SELECT `position`, `text` FROM `search_entries` WHERE `tenant_alias` = new.`tenant_alias` AND `id` = new.`id`;
END;
--> statement-breakpoint
CREATE TRIGGER `search_entries_removed` AFTER DELETE ON `search_entries` BEGIN
	INSERT INTO `search_index` (`search_index`, `rowid`, `text`) VALUES ('delete', old.`position`, old.`text`);
END;