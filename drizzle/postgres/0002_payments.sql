ALTER TABLE "balance_entries" ALTER COLUMN "invoice_id" DROP NOT NULL;--> statement-breakpoint
ALTER TABLE "invoices" ADD COLUMN "due_at" timestamp (3) with time zone;--> statement-breakpoint
ALTER TABLE "subscriptions" ADD COLUMN "cancel_at" timestamp (3) with time zone;--> statement-breakpoint
ALTER TABLE "tenants" ADD COLUMN "payment_providers" json;--> statement-breakpoint
ALTER TABLE "tenants" ADD COLUMN "payment_terms_days" bigint;--> statement-breakpoint
ALTER TABLE "tenants" ADD COLUMN "bank_account" json;