ALTER TABLE "customers" ADD COLUMN "email_lower" text collate "C";--> statement-breakpoint
ALTER TABLE "prices" ADD COLUMN "nickname_lower" text collate "C";--> statement-breakpoint
ALTER TABLE "promotion_codes" ADD COLUMN "code_lower" text collate "C";--> statement-breakpoint
CREATE INDEX "customers_email_lower" ON "customers" USING btree ("tenant_alias","email_lower","created_at","id");--> statement-breakpoint
CREATE INDEX "customers_mail_blocked" ON "customers" USING btree ("tenant_alias","mail_blocked_at","id") WHERE mail_blocked_at is not null;--> statement-breakpoint
CREATE INDEX "prices_nickname" ON "prices" USING btree ("tenant_alias","nickname_lower","id") WHERE nickname_lower is not null;--> statement-breakpoint
CREATE INDEX "promotion_codes_code" ON "promotion_codes" USING btree ("tenant_alias","code_lower","id");--> statement-breakpoint
-- fill: customers.email_lower = lower(email)
--> statement-breakpoint
-- fill: prices.nickname_lower = lower(nickname)
--> statement-breakpoint
-- fill: promotion_codes.code_lower = lower(code)
