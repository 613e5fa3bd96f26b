ALTER TABLE "invoices" ADD COLUMN "tax_country" text collate "C";--> statement-breakpoint
ALTER TABLE "operator_memberships" ADD COLUMN "views" json;--> statement-breakpoint
CREATE INDEX "invoices_issued_later" ON "invoices" USING btree ("tenant_alias","issued_at","id") WHERE issued_at <> created_at;