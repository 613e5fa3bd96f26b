ALTER TABLE "api_keys" ADD COLUMN "name" text collate "C";--> statement-breakpoint
ALTER TABLE "api_keys" ADD COLUMN "last_used_at" timestamp (3) with time zone;--> statement-breakpoint
CREATE INDEX "api_keys_created" ON "api_keys" USING btree ("tenant_alias","created_at","id");