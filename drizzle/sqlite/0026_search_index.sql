CREATE TABLE `search_entries` (
	`tenant_alias` text NOT NULL,
	`id` text NOT NULL,
	`type` text NOT NULL,
	`text` text NOT NULL,
	`grams` text,
	PRIMARY KEY(`tenant_alias`, `id`),
	FOREIGN KEY (`tenant_alias`) REFERENCES `tenants`(`alias`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE INDEX `search_entries_type` ON `search_entries` (`tenant_alias`,`type`,`id`);--> statement-breakpoint
CREATE TABLE `search_progress` (
	`tenant_alias` text PRIMARY KEY NOT NULL,
	`last_event` text NOT NULL,
	FOREIGN KEY (`tenant_alias`) REFERENCES `tenants`(`alias`) ON UPDATE no action ON DELETE no action
);
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
CREATE TABLE `search_rows` (
	`position` integer PRIMARY KEY NOT NULL,
	`tenant_alias` text NOT NULL,
	`id` text NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `search_rows_record` ON `search_rows` (`tenant_alias`,`id`);
--> statement-breakpoint
CREATE VIRTUAL TABLE `search_index` USING fts5(text, content='', tokenize='trigram case_sensitive 1');
--> statement-breakpoint
-- What is deleted leaves the file at once: it may be personal data.
INSERT INTO `search_index` (`search_index`, `rank`) VALUES ('secure-delete', 1);
--> statement-breakpoint
CREATE TRIGGER `search_entries_added` AFTER INSERT ON `search_entries` BEGIN
	INSERT OR IGNORE INTO `search_scopes` (`tenant_alias`, `type`) VALUES (new.`tenant_alias`, new.`type`);
	INSERT INTO `search_rows` (`position`, `tenant_alias`, `id`)
		SELECT coalesce((SELECT max(`position`) FROM `search_rows` WHERE `position` >= `scope` << 40 AND `position` < (`scope` + 1) << 40), `scope` << 40) + 1, new.`tenant_alias`, new.`id`
		FROM `search_scopes` WHERE `tenant_alias` = new.`tenant_alias` AND `type` = new.`type`;
	INSERT INTO `search_index` (`rowid`, `text`) VALUES (last_insert_rowid(), new.`text`);
END;
--> statement-breakpoint
CREATE TRIGGER `search_entries_removed` AFTER DELETE ON `search_entries` BEGIN
	INSERT INTO `search_index` (`search_index`, `rowid`, `text`)
		SELECT 'delete', `position`, old.`text` FROM `search_rows` WHERE `tenant_alias` = old.`tenant_alias` AND `id` = old.`id`;
	DELETE FROM `search_rows` WHERE `tenant_alias` = old.`tenant_alias` AND `id` = old.`id`;
END;
