ALTER TABLE "products" ADD COLUMN "catalog_place" text collate "C";--> statement-breakpoint
-- Data: the places of the products.
UPDATE "products" SET "catalog_place" = lpad(coalesce("sort_order", 9999999)::text, 7, '0')
  || upper(encode(convert_to(coalesce("name_lower", "name"), 'UTF8'), 'hex'));--> statement-breakpoint
CREATE INDEX "products_place" ON "products" USING btree ("tenant_alias","catalog_place","id") WHERE deleted_at is null;--> statement-breakpoint
CREATE INDEX "products_active_place" ON "products" USING btree ("tenant_alias","active","catalog_place","id") WHERE deleted_at is null;--> statement-breakpoint
CREATE INDEX "products_place_in_group" ON "products" USING btree ("tenant_alias","group_id","catalog_place","id") WHERE deleted_at is null;--> statement-breakpoint
CREATE INDEX "payments_decline_code" ON "payments" USING btree ("tenant_alias","decline_code","created_at","id") WHERE decline_code is not null;