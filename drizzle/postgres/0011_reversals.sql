ALTER TABLE "invoices" ADD COLUMN "withdrawn_minor" bigint;--> statement-breakpoint
ALTER TABLE "payments" ADD COLUMN "dispute_status" text collate "C";--> statement-breakpoint
ALTER TABLE "payments" ADD COLUMN "dispute_reason" text collate "C";--> statement-breakpoint
ALTER TABLE "payments" ADD COLUMN "evidence_due_at" timestamp (3) with time zone;