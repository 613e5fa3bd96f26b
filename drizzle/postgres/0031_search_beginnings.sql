DROP INDEX "customers_email_lower";--> statement-breakpoint
DROP INDEX "customers_first_name";--> statement-breakpoint
DROP INDEX "customers_last_name";--> statement-breakpoint
DROP INDEX "customers_company_name";--> statement-breakpoint
DROP INDEX "products_name";--> statement-breakpoint
DROP INDEX "prices_nickname";--> statement-breakpoint
DROP INDEX "coupons_name";--> statement-breakpoint
DROP INDEX "promotion_codes_code";--> statement-breakpoint
DROP INDEX "search_entries_type";--> statement-breakpoint
-- The texts of the entries have another form: the server makes the index anew, and searches meanwhile read the records.
DELETE FROM "search_progress";--> statement-breakpoint
DELETE FROM "search_entries";--> statement-breakpoint
-- Statistics of trigrams are not used, and take long to make.
ALTER INDEX "search_entries_grams" ALTER COLUMN 1 SET STATISTICS 0;--> statement-breakpoint
ALTER TABLE "customers" DROP COLUMN "first_name_lower";--> statement-breakpoint
ALTER TABLE "customers" DROP COLUMN "last_name_lower";--> statement-breakpoint
ALTER TABLE "customers" DROP COLUMN "company_name_lower";--> statement-breakpoint
ALTER TABLE "customers" DROP COLUMN "email_lower";--> statement-breakpoint
ALTER TABLE "prices" DROP COLUMN "nickname_lower";--> statement-breakpoint
ALTER TABLE "coupons" DROP COLUMN "name_lower";--> statement-breakpoint
ALTER TABLE "promotion_codes" DROP COLUMN "code_lower";