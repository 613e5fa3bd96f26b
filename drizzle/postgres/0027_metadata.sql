ALTER TABLE "intents" ADD COLUMN "metadata" json;--> statement-breakpoint
ALTER TABLE "invoices" ADD COLUMN "metadata" json;--> statement-breakpoint
ALTER TABLE "payments" ADD COLUMN "metadata" json;