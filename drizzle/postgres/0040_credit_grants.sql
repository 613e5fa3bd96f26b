ALTER TABLE "tenants" ADD COLUMN "credit_vouchers" text collate "C";--> statement-breakpoint
ALTER TABLE "invoices" ADD COLUMN "top_up" json;--> statement-breakpoint
ALTER TABLE "balance_entries" ADD COLUMN "line_id" text collate "C";--> statement-breakpoint
ALTER TABLE "balance_entries" ADD COLUMN "category" text collate "C";--> statement-breakpoint
ALTER TABLE "balance_entries" ADD COLUMN "before_tax" boolean;--> statement-breakpoint
ALTER TABLE "balance_entries" ADD COLUMN "cost_basis" text collate "C";--> statement-breakpoint
ALTER TABLE "balance_entries" ADD COLUMN "priority" bigint;--> statement-breakpoint
ALTER TABLE "balance_entries" ADD COLUMN "effective_at" timestamp (3) with time zone;--> statement-breakpoint
ALTER TABLE "balance_entries" ADD COLUMN "rollover" json;--> statement-breakpoint
ALTER TABLE "balance_entries" ADD COLUMN "applies_to" json;--> statement-breakpoint
ALTER TABLE "balance_entries" ADD COLUMN "voided_at" timestamp (3) with time zone;--> statement-breakpoint
ALTER TABLE "balance_entries" ADD COLUMN "alerted_percent" bigint;--> statement-breakpoint
CREATE INDEX "balance_entries_grants" ON "balance_entries" USING btree ("tenant_alias","created_at","id") WHERE kind = 'grant';--> statement-breakpoint
CREATE INDEX "balance_entries_customer_grants" ON "balance_entries" USING btree ("tenant_alias","customer_id","created_at","id") WHERE kind = 'grant';