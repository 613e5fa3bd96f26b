DROP INDEX "invoices_intent";--> statement-breakpoint
DROP INDEX "payments_intent";--> statement-breakpoint
CREATE INDEX "invoices_intent" ON "invoices" USING btree ("tenant_alias","intent_id","id") WHERE intent_id is not null;--> statement-breakpoint
CREATE INDEX "payments_intent" ON "payments" USING btree ("tenant_alias","intent_id","created_at","id") WHERE intent_id is not null;