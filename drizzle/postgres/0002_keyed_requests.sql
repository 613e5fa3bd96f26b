ALTER TABLE "idempotency" ADD COLUMN "progress" text collate "C";--> statement-breakpoint
ALTER TABLE "idempotency" ADD COLUMN "owner" text collate "C";--> statement-breakpoint
ALTER TABLE "idempotency" ADD COLUMN "claimed_until" timestamp (3) with time zone;--> statement-breakpoint
CREATE INDEX "idempotency_claimed" ON "idempotency" USING btree ("tenant_alias","claimed_until") WHERE outcome is null;