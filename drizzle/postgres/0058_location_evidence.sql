ALTER TABLE "customers" ADD COLUMN "location_evidence" json;--> statement-breakpoint
ALTER TABLE "payment_methods" ADD COLUMN "country" text collate "C";--> statement-breakpoint
ALTER TABLE "invoices" ADD COLUMN "evidence_gap" text collate "C";--> statement-breakpoint
ALTER TABLE "documents" ADD COLUMN "evidence" json;--> statement-breakpoint
CREATE INDEX "invoices_evidence_gap" ON "invoices" USING btree ("tenant_alias","evidence_gap","created_at","id") WHERE evidence_gap is not null;